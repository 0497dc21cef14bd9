// The panel of one lock: what it is, what it promises, what breaks it, what it costs.
import {BrokenMark} from './bits';
import type {Comparison, Fencing, Lock, Price, Recovery} from './comparison';
import {FENCINGS, UNSAFE, verdictOf} from './comparison';
import {percent, plural, seconds, sentence, significant} from './format';
import {cellHash} from './route';
import {serverName} from './words';

function inWords(lock: Lock, column: string, fencing: Fencing): string {
  const verdict = verdictOf(lock, column, fencing, UNSAFE);
  switch (verdict.kind) {
    case 'impossible':
      return '\u2013';
    case 'nothing':
      return 'not judged';
    case 'held':
      return verdict.known ? `known to be unsafe, not found in ${plural(verdict.runs, 'run')}` : `not in ${plural(verdict.runs, 'run')}`;
    case 'found':
      return `unsafe in ${percent(verdict.rate)}`;
  }
}

export function LockPanel({comparison, lock}: {comparison: Comparison; lock: Lock}) {
  return (
    <>
      <h2 id="panel-heading" tabIndex={-1}>{lock.name}</h2>
      <nav class="beside" aria-label="Back">
        <span><a href="#matrix">back to the matrix</a> <kbd>Esc</kbd></span>
      </nav>
      <p class="lead">{sentence(lock.summary)}</p>
      <p class="quiet-text">On {serverName(lock.server)}. Source: {lock.source}</p>
      <div class="two">
        <section>
          <h3>What breaks it</h3>
          <Breaks comparison={comparison} lock={lock} />
        </section>
        <section>
          <h3>What it promises</h3>
          <Promises comparison={comparison} lock={lock} />
          {lock.price && <h3>What it costs</h3>}
          {lock.price && <Costs price={lock.price} />}
          {lock.price?.recovery && <RecoveryFacts recovery={lock.price.recovery} />}
        </section>
      </div>
    </>
  );
}

function Breaks({comparison, lock}: {comparison: Comparison; lock: Lock}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What breaks it">
      <table>
        <thead>
          <tr>
            <th scope="col">faults</th>
            <th scope="col">without fencing</th>
            <th scope="col">ideal fencing</th>
            <th scope="col" class="number">available</th>
          </tr>
        </thead>
        <tbody>
          {comparison.columns.map((column) => (
            <tr key={column}>
              <th scope="row" title={comparison.column_meanings[column]}>{column}</th>
              {FENCINGS.map((fencing) => {
                const verdict = verdictOf(lock, column, fencing, UNSAFE);
                return (
                  <td key={fencing} class={`verdict ${verdict.kind}`}>
                    <a href={cellHash(lock.name, column, fencing)}>{inWords(lock, column, fencing)}</a>
                    {verdict.kind === 'found' && verdict.broken > 0 && <> <BrokenMark /></>}
                  </td>
                );
              })}
              <td class="number">{percent(lock.price?.availability[column])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Promises({comparison, lock}: {comparison: Comparison; lock: Lock}) {
  if (lock.promises.length === 0) return <p>Nothing.</p>;
  const classes = comparison.columns.filter((column) => column !== 'none' && column !== 'all' && !column.includes('+'));
  const under = (names: string[]) => {
    const faults = names.filter((name) => name !== 'none');
    if (faults.length === 0) return 'without faults';
    if (classes.every((name) => faults.includes(name))) return 'under every class of faults';
    const missing = classes.filter((name) => !faults.includes(name));
    return missing.length < faults.length ? `under all but ${missing.join(', ')}` : `under ${faults.join(', ')}`;
  };
  return (
    <ul class="promises">
      {lock.promises.map((promise) => (
        <li key={promise.property}>
          <strong title={comparison.property_meanings[promise.property]}>{promise.property}</strong>{' '}
          {under(promise.under)}{promise.premise && <>, if <em>{promise.premise}</em></>}
        </li>
      ))}
    </ul>
  );
}

function Costs({price}: {price: Price}) {
  const rows: [string, string, string][] = [
    ['acquire, lock free', seconds(price.free_p50_seconds), seconds(price.free_p99_seconds)],
    ['acquire, with waiting', seconds(price.latency_p50_seconds), seconds(price.latency_p99_seconds)],
    ['handover after a release', seconds(price.handover_p50_seconds), seconds(price.handover_p99_seconds)],
  ];
  return (
    <>
      <table>
        <thead><tr><th scope="col">time</th><th scope="col" class="number">median</th><th scope="col" class="number">99th percentile</th></tr></thead>
        <tbody>
          {rows.map(([what, median, high]) => (
            <tr key={what}><th scope="row">{what}</th><td class="number">{median}</td><td class="number">{high}</td></tr>
          ))}
        </tbody>
      </table>
      <dl class="facts">
        <div><dt>messages per acquire</dt><dd>{significant(price.messages_per_acquire)}</dd></div>
        <div><dt>commands per acquire</dt><dd>{significant(price.commands_per_acquire)}</dd></div>
        <div><dt>wake-ups per release</dt><dd>{significant(price.wakeups_per_release)}</dd></div>
        <div><dt>longest overtaking</dt><dd>{significant(price.longest_overtaking)}</dd></div>
      </dl>
    </>
  );
}

// How long a crashed holder blocks the others, on one scale with the lock's own bound.
function RecoveryFacts({recovery}: {recovery: Recovery}) {
  const {crashes, p50_seconds: median, longest_seconds: longest, bound_seconds: bound} = recovery;
  if (crashes === 0) return null;
  const scale = Math.max(longest ?? 0, bound ?? 0);
  const place = (value: number | null) => ({left: `${(100 * (value ?? 0)) / (scale || 1)}%`});
  const beyond = longest !== null && bound !== null && longest > bound;
  return (
    <>
      <h3>After a holder's crash</h3>
      <p>
        After {plural(crashes, 'crash', 'crashes')} of holders, the next grant took {seconds(median)} in the median and{' '}
        {seconds(longest)} at most;{' '}
        {bound === null ? 'no bound is given.' : <>its bound is {seconds(bound)}{beyond ? <strong class="verdict found">, which it exceeded</strong> : ''}.</>}
      </p>
      {scale > 0 && (
        <div class="scale" aria-hidden="true">
          <i class="extent" style={{width: place(longest).left}} />
          <i class="tick" style={place(median)}><span>median</span></i>
          <i class="tick" style={place(longest)}><span>longest</span></i>
          {bound !== null && <i class="tick bound" style={place(bound)}><span>bound</span></i>}
        </div>
      )}
    </>
  );
}
