// One run of a scenario: what broke, the story, every property, and the twins.
import {useState} from 'preact/hooks';
import {BrokenMark, Command} from './bits';
import {Diagram} from './diagram';
import {count, plural} from './format';
import type {RunDocument, RunResult} from './run';
import {Explained, Faults} from './told';

export function RunPage({run}: {run: RunDocument}) {
  const [own, ...twins] = run.runs;
  if (!own) return <p>This file holds no run.</p>;
  return (
    <>
      <header>
        <p class="program">picklock run</p>
        <h1>{own.story.title || own.scenario}</h1>
        <dl class="what-was-run">
          <div><dt>scenario</dt><dd>{own.scenario}</dd></div>
          <div><dt>algorithm</dt><dd>{own.story.algorithm}</dd></div>
          {own.source && <div><dt>source</dt><dd>{own.source}</dd></div>}
          <div><dt>seed</dt><dd>{own.story.seed}</dd></div>
          <div><dt>result</dt><dd><Result good={run.as_expected} /></dd></div>
          {run.command && <div><dt>to repeat</dt><dd><Command text={run.command} /></dd></div>}
        </dl>
      </header>
      <section id="story" aria-labelledby="story-heading">
        <h2 id="story-heading">What happened</h2>
        <Run result={own} />
      </section>
      {twins.length > 0 && (
        <section id="twins" aria-labelledby="twins-heading">
          <h2 id="twins-heading">{twins.length === 1 ? 'Its twin' : 'Its twins'}</h2>
          <p>The same plan with one key changed.</p>
          {twins.map((twin) => <Twin key={twin.twin} twin={twin} />)}
        </section>
      )}
    </>
  );
}

function Result({good}: {good: boolean}) {
  return good ? <span class="verdict held">{'\u2713'} as expected</span> :
                <span class="verdict found">{'\u2715'} not as expected</span>;
}

function Run({result}: {result: RunResult}) {
  const {story, surprises} = result;
  return (
    <div class="told">
      {surprises.map((surprise) => (
        <p class="explained"><strong>not as expected:</strong> {surprise}</p>
      ))}
      {story.broken.map((broken) => <Explained broken={broken} most={1} />)}
      <Faults story={story} />
      <Diagram story={story} />
      <h3>Properties</h3>
      <Properties result={result} />
      <p class="quiet-text">
        {result.ended} of virtual time, {plural(result.events, 'event')}, digest <code>{result.digest}</code>
      </p>
    </div>
  );
}

const SIGNS: Record<string, string> = {holds: '\u2713', violated: '\u2715'};
const ORDER = ['violated', 'unknown', 'holds'];

function Properties({result}: {result: RunResult}) {
  const verdicts = ORDER.flatMap((outcome) => result.verdicts.filter((one) => one.outcome === outcome));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Properties">
      <table class="properties">
        <thead>
          <tr><th scope="col">property</th><th scope="col">verdict</th><th scope="col">promise</th><th scope="col">meaning</th></tr>
        </thead>
        <tbody>
          {verdicts.map((one) => {
            const broke = one.outcome === 'violated';
            return (
              <tr class={broke ? 'broke' : ''}>
                <th scope="row">{one.property}</th>
                <td class={`verdict ${broke ? 'found' : 'held'}`}>
                  <span aria-hidden="true">{SIGNS[one.outcome] ?? '?'}</span> {one.outcome}
                  {one.count > 1 && ` ${count(one.count)} times`}
                </td>
                <td>
                  {one.broken && <><BrokenMark />{' '}</>}
                  {one.promise}
                  {one.premise && <span class="quiet-text">, on condition: {one.premise}</span>}
                </td>
                <td>{one.meaning}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Twin({twin}: {twin: RunResult}) {
  const [shown, show] = useState(false);
  const broken = twin.story.broken.map((one) => one.property);
  return (
    <details class="find" open={shown} onToggle={(event) => show(event.currentTarget.open)}>
      <summary>
        <code>{twin.twin}</code>{' '}
        <Result good={twin.as_expected} />{' '}
        <span class="quiet-text">{broken.length === 0 ? 'no property violated' : `violated: ${broken.join(', ')}`}</span>
      </summary>
      {shown && <Run result={twin} />}
    </details>
  );
}
