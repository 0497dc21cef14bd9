// How to read a verdict, and what the names mean.
import type {Comparison, Verdict} from './comparison';
import {UNSAFE} from './comparison';
import {CellFace} from './matrix';
import {propertyName} from './words';

function Sample({verdict, look}: {verdict: Verdict; look: string}) {
  return <span class={`cell sample ${look}`} aria-hidden="true"><CellFace verdict={verdict} /></span>;
}

export function Key() {
  const found = {
    kind: 'found', runs: 960, violations: 115, rate: 0.12, interval: [0.1, 0.142],
    faults: 1, promised: false, broken: 0, grants: 5600, known: false,
  } as const;
  const held = {...found, kind: 'held', violations: 0, rate: 0, interval: [0, 0.004]} as const;
  return (
    <ul class="key" aria-label="How to read a cell">
      <li>
        <Sample look="found level-3" verdict={{...found, interval: [0.1, 0.142]}} />
        <span>it was violated in 12% of the runs; one fault is enough. The color is stronger from 1, 10 and 50% on.</span>
      </li>
      <li>
        <Sample look="found level-2" verdict={{...found, rate: 0.02, faults: 2, broken: 3, interval: [0, 0]}} />
        <span><strong>!</strong> the lock promises that this does not happen: a bug in the lock, or in its promise.</span>
      </li>
      <li>
        <Sample look="held" verdict={{...held, interval: [0, 0.004]}} />
        <span>not found. With 95% confidence the rate is below this figure, which does not prove that it cannot happen.</span>
      </li>
      <li>
        <Sample look="held" verdict={{...held, known: true, interval: [0, 0.004]}} />
        <span>
          not found either, but the lock is known to be unsafe here: the safety table has a story of it. These runs
          missed it.
        </span>
      </li>
      <li>
        <Sample look="impossible" verdict={{kind: 'impossible', why: ''}} />
        <span>such a fault cannot strike this lock; the cell says why.</span>
      </li>
    </ul>
  );
}

export function Glossary({comparison}: {comparison: Comparison}) {
  return (
    <section id="terms" aria-labelledby="terms-heading">
      <h2 id="terms-heading">How to read it</h2>
      <p>
        Every number comes from simulated runs with random faults, in which all clients compete for one lock. Use the
        rates to compare locks with each other. They do not say how often it happens in production, where faults are
        rarer. The smallest counterexample of a cell was shrunk until nothing more could be removed, and its file repeats
        it exactly. Locks are ordered by violations for each grant, because a lock that grants less often has fewer
        chances to break; <em>granted</em> shows how often that is. Late writes and lost replies do not decide the order:
        they pass any lock, and concern the resource. With <em>ideal fencing</em>, every grant comes with a growing token, and the resource checks it at each
        write. Clients read nothing here; a resource that is read has to check reads as well.
      </p>
      <div class="two">
        <section>
          <h3>Faults</h3>
          <dl class="terms">
            {comparison.columns.map((column) => (
              <div key={column}><dt>{column}</dt><dd>{comparison.column_meanings[column]}</dd></div>
            ))}
          </dl>
        </section>
        <section>
          <h3>Properties</h3>
          <dl class="terms">
            {[UNSAFE, ...comparison.properties].map((property) => (
              <div key={property}><dt>{propertyName(property)}</dt><dd>{comparison.property_meanings[property]}</dd></div>
            ))}
          </dl>
        </section>
      </div>
    </section>
  );
}
