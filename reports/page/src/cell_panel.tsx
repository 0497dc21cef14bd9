// The panel of one cell: every property, and a story for each that was violated.
import type {ComponentChildren} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {BrokenMark, Command} from './bits';
import type {Comparison, Complete, Fencing, Lock, PropertyResult, Result, Smallest} from './comparison';
import {propertiesOf, UNSAFE} from './comparison';
import {Diagram} from './diagram';
import {count, interval, percent, plural} from './format';
import {cellHash, lockHash} from './route';
import type {Story} from './story';
import {story} from './story';
import {Explained, Faults} from './told';
import {fencingPhrase} from './words';

interface Props {
  comparison: Comparison;
  lock: Lock;
  column: string;
  fencing: Fencing;
  choice: string;
}

export function CellPanel({comparison, lock, column, fencing, choice}: Props) {
  const cell = lock.cells[column];
  const result = cell?.fencing[fencing];
  const other: Fencing = fencing === 'none' ? 'ideal' : 'none';
  const step = (by: number) => {
    const {columns} = comparison;
    return columns[(columns.indexOf(column) + by + columns.length) % columns.length]!;
  };
  const link = (to: string) => <a href={cellHash(lock.name, to, fencing)}>{to}</a>;
  return (
    <>
      <h2 id="panel-heading" tabIndex={-1}>
        <a href={lockHash(lock.name)}>{lock.name}</a> under <em>{column}</em>, {fencingPhrase(fencing)}
      </h2>
      <nav class="beside" aria-label="Cells beside this one">
        <span>{'\u2190'} {link(step(-1))}</span>
        <span>{link(step(1))} {'\u2192'}</span>
        <span><a href={cellHash(lock.name, column, other)}>the same {fencingPhrase(other)}</a></span>
        <span><a href="#matrix">back to the matrix</a> <kbd>Esc</kbd></span>
      </nav>
      <p class="meaning-of-class"><em>{column}</em>: {comparison.column_meanings[column]}.</p>
      {!cell || !cell.possible ? (
        <p class="held-note">
          Faults of this class cannot strike this lock{cell?.why_impossible ? `: ${cell.why_impossible}` : ''}.
        </p>
      ) : !result || result.runs === 0 ? (
        <p class="held-note">No run of this cell was judged.</p>
      ) : (
        <Judged result={result} meanings={comparison.property_meanings} choice={choice} column={column} />
      )}
      {cell?.complete && fencing === 'none' && <Decided complete={cell.complete} choice={choice} />}
      {cell?.command && <p class="repeat">To repeat this cell: <Command text={cell.command} /></p>}
      {result && result.runs > 0 &&
        <Finds key={`${lock.name}/${column}/${fencing}`} result={result} choice={choice} />}
    </>
  );
}

// With few faults the question is decided, not sampled.
function Decided({complete, choice}: {complete: Complete; choice: string}) {
  const hits = choice === UNSAFE ? complete.unsafe : complete.violated[choice] ?? 0;
  const verdict = hits === 0
    ? `${complete.faults === 1 ? 'No one fault is' : 'No two faults are'} enough.`
    : `${complete.fewest[choice] === 1 ? 'One fault is' : 'Two faults are'} enough.`;
  const plans = complete.faults === 1 ? 'one fault' : 'one fault or two';
  const deed = choice === UNSAFE ? 'harm the resource' : `violate ${choice}`;
  return (
    <p class="decided">
      <strong>{verdict} </strong>
      Every plan of {plans} was tried with two clients that take the lock once:{' '}
      {hits > 0 ? count(hits) : 'none'} of {count(complete.plans)} {deed}.
    </p>
  );
}

interface JudgedProps {
  result: Result;
  meanings: Record<string, string>;
  choice: string;
  column: string;
}

function Judged({result, meanings, choice, column}: JudgedProps) {
  const {unsafe} = result;
  const properties = Object.entries(result.properties);
  const struck = column === 'none' ? '' : ' in which a fault fired';
  return (
    <>
      <p class="lead">
        {unsafe.runs > 0 ? (
          <><strong class="verdict found">Unsafe at the resource</strong> in {count(unsafe.runs)} of{' '}
          {plural(result.runs, 'run')}{struck}: {percent(unsafe.rate)}, 95% interval {interval(unsafe.interval)}.</>
        ) : (
          <><strong class="verdict held">Nothing unsafe found</strong> at the resource in{' '}
          {plural(result.runs, 'run')}{struck}: with 95% confidence the rate is at most{' '}
          {percent(unsafe.interval?.[1])}.{result.safety_table === 'unsafe' && (
            <> The safety table knows a story that is unsafe here; these runs missed it.</>
          )}</>
        )}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Properties">
        <table class="properties">
          <thead>
            <tr>
              <th scope="col">property</th>
              <th scope="col">verdict</th>
              <th scope="col">promised</th>
              <th scope="col" class="number">runs that violated it</th>
              <th scope="col" class="number">rate</th>
              <th scope="col" class="number">95% interval</th>
            </tr>
          </thead>
          <tbody>
            {properties.map(([name, property]) => (
              <PropertyLine
                key={name}
                name={name}
                meaning={meanings[name]}
                property={property}
                chosen={choice !== UNSAFE && name === choice}
              />
            ))}
          </tbody>
        </table>
      </div>
      <Counts result={result} />
    </>
  );
}

function goToStory(name: string) {
  const story = document.getElementById(`story-${name}`);
  if (!(story instanceof HTMLDetailsElement)) return;
  story.open = true;
  story.querySelector('summary')?.focus();
  story.scrollIntoView();
}

function PropertyLine({name, meaning, property, chosen}: {name: string; meaning: string; property: PropertyResult; chosen: boolean}) {
  const broke = property.violations > 0;
  const sign = {holds: '\u2713', violated: '\u2715'}[property.verdict] ?? '?';
  return (
    <tr class={`${broke ? 'broke' : ''} ${chosen ? 'chosen' : ''}`}>
      <th scope="row" title={meaning}>
        {property.smallest ? (
          <button type="button" class="link" onClick={() => goToStory(name)}>{name}</button>
        ) : name}
      </th>
      <td class={`verdict ${broke ? 'found' : 'held'}`}>
        <span aria-hidden="true">{sign}</span> {property.verdict}
      </td>
      <td>
        {property.promised ? 'promised' : <span class="quiet-text">not promised</span>}
        {property.broken > 0 && <> <BrokenMark /> in {plural(property.broken, 'run')}</>}
      </td>
      <td class="number">{count(property.violations)}</td>
      <td class="number">{percent(property.rate)}</td>
      <td class="number">{interval(property.interval)}</td>
    </tr>
  );
}

function Counts({result}: {result: Result}) {
  const {availability} = result;
  const facts: [string, ComponentChildren][] = [
    ['runs counted', count(result.runs)],
    ['faults that fired', count(result.faults)],
    ['acquires granted', `${count(availability.granted)} of ${count(availability.asked)} (${percent(availability.rate)})`],
  ];
  if (result.idle > 0) facts.push(['runs without a fired fault, not counted', count(result.idle)]);
  if (result.left_out > 0) facts.push(['faults without a counterpart in this lock', count(result.left_out)]);
  if (result.cut_short > 0) facts.push(['runs cut short, not judged', count(result.cut_short)]);
  if (result.crashed > 0) facts.push(['runs that crashed', count(result.crashed)]);
  return (
    <dl class="facts">
      {facts.map(([what, much]) => <div key={what}><dt>{what}</dt><dd>{much}</dd></div>)}
    </dl>
  );
}

// The story of the property that the matrix shows is open, the others are folded.
function Finds({result, choice}: {result: Result; choice: string}) {
  const finds = Object.entries(result.properties).flatMap(
      ([name, property]) => property.smallest ? [{name, property, smallest: property.smallest}] : []);
  if (finds.length === 0) return null;
  const asked = propertiesOf(choice);
  const first = finds.find((find) => asked.includes(find.name)) ?? finds[0]!;
  const ordered = [first, ...finds.filter((find) => find !== first)];
  return (
    <section class="finds" aria-label="What was found">
      <h3>What was found</h3>
      {ordered.map((find) => (
        <Find
          key={find.name}
          name={find.name}
          property={find.property}
          smallest={find.smallest}
          open={find === first}
        />
      ))}
    </section>
  );
}

interface FindProps {
  name: string;
  property: PropertyResult;
  smallest: Smallest;
  open: boolean;
}

function Find({name, property, smallest, open}: FindProps) {
  const [shown, show] = useState(open);
  return (
    <details
      id={`story-${name}`}
      class="find"
      open={shown}
      onToggle={(event) => show(event.currentTarget.open)}
    >
      <summary>
        <span class="verdict found">{name}</span>{' '}
        {property.broken > 0 && <BrokenMark />}{' '}
        <span>{smallest.title || 'a run that violates it'}</span>{' '}
        <span class="quiet-text">
          {plural(smallest.faults, 'fault')}{smallest.minimal ? ', none of them can be removed' : ''}, run {smallest.run} of
          column <code>{smallest.column}</code>
        </span>
      </summary>
      {shown && <Told name={name} smallest={smallest} />}
    </details>
  );
}

function Told({name, smallest}: {name: string; smallest: Smallest}) {
  const [told, tell] = useState<Story | null | undefined>(undefined);
  const [trouble, complain] = useState('');
  useEffect(() => {
    let wanted = true;
    story(smallest.file).then(
        (found) => wanted && tell(found ?? null), (error) => wanted && complain(String(error)));
    return () => {
      wanted = false;
    };
  }, [smallest.file]);
  const broken = told?.broken.find((one) => one.property === name);
  return (
    <div class="told">
      {broken && <Explained broken={broken} most={2} />}
      {told && <Faults story={told} />}
      <p class="repeat">
        File: <code>{smallest.file}</code><br />
        To repeat it: <Command text={smallest.command.replace(/\bFILE\b/, smallest.file)} />
      </p>
      {told === undefined && !trouble && <p role="status">loading the story&hellip;</p>}
      {told === null && <p>This page does not contain the story; the command above shows it.</p>}
      {trouble && <p role="alert">The stories cannot be read: {trouble}</p>}
      {told && <Diagram story={told} />}
    </div>
  );
}
