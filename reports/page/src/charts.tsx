// Rates with their intervals, prices and availability, drawn as SVG that takes the page's colors.
import * as Plot from '@observablehq/plot';
import {useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {Choice} from './bits';
import type {Comparison, Fencing, Lock, Price} from './comparison';
import {verdictOf} from './comparison';
import {interval, percent, plural, seconds, significant} from './format';
import {cellHash, lockHash} from './route';
import {fencingPhrase, propertyName} from './words';

const NARROWEST = 280;
const LINE_HEIGHT = 19;
const CLASS_HEIGHT = 26;
const MARGIN_TOP = 34;
const MARGIN_BOTTOM = 12;
const LETTER_WIDTH = 6.4;

interface DrawingProps {
  draw: (width: number) => SVGElement | HTMLElement;
  lines: number;
  lineHeight?: number;
  label: string;
}

// Draws again for another width or other data, and lets the matrix draw first.
function Drawing({draw, lines, lineHeight = LINE_HEIGHT, label}: DrawingProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, resize] = useState(0);
  useEffect(() => {
    const element = box.current!;
    const observer = new ResizeObserver(() => resize(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (width === 0) return;
    const later = setTimeout(() => box.current?.replaceChildren(draw(Math.max(NARROWEST, width))));
    return () => clearTimeout(later);
  }, [draw, width]);
  const style = {minHeight: `${heightOf(lines, lineHeight)}px`};
  return <div class="drawing" ref={box} role="group" aria-label={label} style={style} />;
}

function heightOf(lines: number, lineHeight: number): number {
  return lines * lineHeight + MARGIN_TOP + MARGIN_BOTTOM;
}

function base(names: string[], width: number, lineHeight = LINE_HEIGHT): Plot.PlotOptions {
  const longest = Math.max(0, ...names.map((name) => name.length));
  return {
    width,
    height: heightOf(names.length, lineHeight),
    marginLeft: Math.min(Math.ceil(longest * LETTER_WIDTH) + 12, width / 2),
    marginRight: 20,
    marginTop: MARGIN_TOP,
    marginBottom: MARGIN_BOTTOM,
    style: {background: 'transparent', color: 'currentColor', fontFamily: 'inherit', fontSize: '11px', overflow: 'visible'},
    y: {domain: names, label: null, tickSize: 0, tickPadding: 8},
  };
}

interface SectionProps {
  comparison: Comparison;
  locks: Lock[];
  fencing: Fencing;
  choice: string;
  column: string;
  onColumn: (column: string) => void;
}

// An element that has not changed is not drawn again.
export function Charts(props: SectionProps) {
  const {comparison, locks, fencing, choice, column, onColumn} = props;
  const rates = useMemo(() => <Rates {...props} />, [locks, fencing, choice, column]);
  const prices = useMemo(() => <Prices locks={locks} />, [locks]);
  const availabilities =
      useMemo(() => <Availabilities comparison={comparison} locks={locks} />, [locks]);
  return (
    <>
      <section id="rates" aria-labelledby="rates-heading">
        <h2 id="rates-heading">How often, by lock</h2>
        <Choice
          label="faults"
          value={column}
          options={comparison.columns.map((name) => ({value: name, label: name}))}
          onChange={onColumn}
        />
        {rates}
      </section>
      <section id="price" aria-labelledby="price-heading">
        <h2 id="price-heading">Cost</h2>
        {prices}
      </section>
      <section id="availability" aria-labelledby="availability-heading">
        <h2 id="availability-heading">Availability under faults</h2>
        {availabilities}
      </section>
    </>
  );
}

function Rates({locks, fencing, choice, column}: SectionProps) {
  const rows = locks.flatMap((lock) => {
    const verdict = verdictOf(lock, column, fencing, choice);
    if (verdict.kind !== 'found' && verdict.kind !== 'held') return [];
    const [low, high] = verdict.interval ?? [verdict.rate, verdict.rate];
    return [{lock: lock.name, rate: verdict.rate, low, high, found: verdict.kind === 'found', verdict}];
  });
  rows.sort((a, b) => b.rate - a.rate || b.high - a.high);
  const absent = locks.length - rows.length;
  const draw = (width: number) => Plot.plot({
    ...base(rows.map((row) => row.lock), width),
    x: {domain: [0, Math.max(0.01, ...rows.map((row) => row.high))], tickFormat: (rate: number) => percent(rate),
        label: null, nice: true, ticks: Math.max(3, width / 130), axis: 'top'},
    marks: [
      Plot.gridX({ticks: Math.max(3, width / 130), strokeOpacity: 0.13}),
      Plot.ruleX([0], {strokeOpacity: 0.5}),
      Plot.ruleY(rows, {y: 'lock', x1: 'low', x2: 'high', stroke: 'var(--quiet)', strokeWidth: 1.5, marker: 'tick'}),
      Plot.dot(rows, {
        y: 'lock', x: 'rate', r: 3.8, strokeWidth: 1.6,
        stroke: (row) => (row.found ? 'var(--bad)' : 'var(--good)'),
        fill: (row) => (row.found ? 'var(--bad)' : 'var(--paper)'),
        href: (row) => cellHash(row.lock, column, fencing),
        title: (row) => `${row.lock}: ${percent(row.rate)}, 95% interval ${interval(row.verdict.interval)}, ${plural(row.verdict.runs, 'run')}`,
      }),
    ],
  });
  return (
    <figure>
      <figcaption>
        Share of runs that {choice === 'unsafe' ? `were ${propertyName(choice)}` : `violated ${choice}`}, under{' '}
        <em>{column}</em>, {fencingPhrase(fencing)}, with 95% intervals. A hollow dot: not found; rates beyond the
        end of its bar are excluded.{absent > 0 && ` Left out, because they have no verdict here: ${plural(absent, 'lock')}.`}
      </figcaption>
      {rows.length === 0 ? <p>No lock has a verdict here.</p> : <Drawing draw={draw} lines={rows.length} label="Rates by lock" />}
    </figure>
  );
}

interface Span {
  lock: string;
  low: number | null;
  high: number | null;
}

// From the median to the 99th percentile, on a logarithmic scale: locks differ by powers of ten.
function Spans({rows, label}: {rows: Span[]; label: string}) {
  const smallest = Math.min(...rows.flatMap((row) => [row.low, row.high]).filter((v): v is number => !!v));
  const shown = rows.filter((row) => row.low !== null && row.high !== null)
      .map((row) => ({lock: row.lock, low: row.low || smallest, high: row.high || smallest}));
  const draw = (width: number) => Plot.plot({
    ...base(rows.map((row) => row.lock), width),
    x: {type: 'log', tickFormat: (value: number) => seconds(value), label: null, nice: true, axis: 'top',
        ticks: Math.max(2, width / 160)},
    marks: [
      Plot.gridX({ticks: Math.max(2, width / 160), strokeOpacity: 0.13}),
      Plot.ruleY(shown, {y: 'lock', x1: 'low', x2: 'high', stroke: 'var(--accent)', strokeWidth: 1.6}),
      Plot.dot(shown, {
        y: 'lock', x: 'low', r: 3.6, fill: 'var(--accent)',
        href: (row) => lockHash(row.lock),
        title: (row) => `${row.lock}: median ${seconds(row.low)}, 99th percentile ${seconds(row.high)}`,
      }),
      Plot.dot(shown, {y: 'lock', x: 'high', r: 3.2, symbol: 'diamond', fill: 'var(--paper)', stroke: 'var(--accent)'}),
    ],
  });
  return shown.length === 0 ? <p>Not measured.</p> : <Drawing draw={draw} lines={rows.length} label={label} />;
}

function Prices({locks}: {locks: Lock[]}) {
  const priced = locks.filter((lock): lock is Lock & {price: Price} => lock.price !== null);
  const messages = priced.filter((lock) => lock.price.messages_per_acquire !== null)
      .map((lock) => ({lock: lock.name, much: lock.price.messages_per_acquire!}));
  const draw = (width: number) => Plot.plot({
    ...base(priced.map((lock) => lock.name), width),
    x: {label: null, nice: true, axis: 'top', zero: true, ticks: Math.max(3, width / 110)},
    marks: [
      Plot.gridX({ticks: Math.max(3, width / 110), strokeOpacity: 0.13}),
      Plot.ruleX([0], {strokeOpacity: 0.5}),
      Plot.ruleY(messages, {y: 'lock', x1: 0, x2: 'much', stroke: 'var(--accent)', strokeWidth: 1.6}),
      Plot.dot(messages, {
        y: 'lock', x: 'much', r: 3.6, fill: 'var(--accent)',
        href: (row) => lockHash(row.lock),
        title: (row) => `${row.lock}: ${significant(row.much)} messages per acquire`,
      }),
    ],
  });
  return (
    <>
      <p>
        Without faults. A dot is the median, a diamond the 99th percentile; the scales of time are logarithmic. The
        latency of an acquire includes the wait while other clients hold the lock.
      </p>
      <div class="charts">
        <figure>
          <figcaption>Acquire latency</figcaption>
          <Spans
            label="Acquire latency by lock"
            rows={priced.map((lock) => ({lock: lock.name, low: lock.price.latency_p50_seconds, high: lock.price.latency_p99_seconds}))}
          />
        </figure>
        <figure>
          <figcaption>Handover, from a release to the next grant</figcaption>
          <Spans
            label="Handover by lock"
            rows={priced.map((lock) => ({lock: lock.name, low: lock.price.handover_p50_seconds, high: lock.price.handover_p99_seconds}))}
          />
        </figure>
        <figure>
          <figcaption>Messages per acquire</figcaption>
          {messages.length === 0 ? <p>Not measured.</p> : <Drawing draw={draw} lines={priced.length} label="Messages per acquire by lock" />}
        </figure>
      </div>
      <details>
        <summary>The numbers</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="Prices in numbers">
          <table>
            <thead>
              <tr>
                <th scope="col">lock</th>
                {['free, median', 'free, p99', 'acquire, median', 'acquire, p99', 'handover, median', 'handover, p99',
                  'messages', 'commands', 'wake-ups', 'overtaken'].map((head) => <th key={head} scope="col" class="number">{head}</th>)}
              </tr>
            </thead>
            <tbody>
              {priced.map(({name, price}) => (
                <tr key={name}>
                  <th scope="row"><a href={lockHash(name)}>{name}</a></th>
                  {[price.free_p50_seconds, price.free_p99_seconds, price.latency_p50_seconds, price.latency_p99_seconds,
                    price.handover_p50_seconds, price.handover_p99_seconds].map((value, i) => <td key={i} class="number">{seconds(value)}</td>)}
                  {[price.messages_per_acquire, price.commands_per_acquire, price.wakeups_per_release,
                    price.longest_overtaking].map((value, i) => <td key={i} class="number">{significant(value)}</td>)}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

// A strip for every class of faults, with a circle for each lock.
function Availabilities({comparison, locks}: {comparison: Comparison; locks: Lock[]}) {
  const rows = locks.flatMap((lock) => comparison.columns.flatMap((column) => {
    const rate = lock.price?.availability[column];
    return rate === null || rate === undefined ? [] : [{lock: lock.name, column, rate}];
  }));
  const lowest = Math.min(1, ...rows.map((row) => row.rate));
  const draw = (width: number) => Plot.plot({
    ...base(comparison.columns, width, CLASS_HEIGHT),
    x: {domain: [Math.floor(lowest * 20) / 20, 1], tickFormat: (rate: number) => percent(rate), label: null, axis: 'top',
        ticks: Math.max(3, width / 130)},
    marks: [
      Plot.gridX({ticks: Math.max(3, width / 130), strokeOpacity: 0.13}),
      Plot.dot(rows, {
        y: 'column', x: 'rate', r: 4, stroke: 'var(--accent)', strokeOpacity: 0.75, strokeWidth: 1.4,
        fill: 'var(--accent)', fillOpacity: 0.18,
        href: (row) => cellHash(row.lock, row.column, 'none'),
        title: (row) => `${row.lock} under ${row.column}: ${percent(row.rate)} of acquires granted`,
      }),
      Plot.tickX(rows, Plot.groupY({x: 'median'}, {y: 'column', x: 'rate', stroke: 'currentColor', strokeWidth: 2, inset: 5})),
    ],
  });
  return (
    <>
      <figure>
        <figcaption>
          Share of acquires that were granted, by class of faults: a circle for each lock, a bar at their median.
        </figcaption>
        {rows.length === 0 ? <p>Not measured.</p> : (
          <Drawing
            draw={draw}
            lines={comparison.columns.length}
            lineHeight={CLASS_HEIGHT}
            label="Availability by class of faults"
          />
        )}
      </figure>
      <details>
        <summary>The numbers</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="Availability in numbers">
          <table>
            <thead>
              <tr>
                <th scope="col">lock</th>
                {comparison.columns.map((column) => <th key={column} scope="col" class="number">{column}</th>)}
              </tr>
            </thead>
            <tbody>
              {locks.map((lock) => (
                <tr key={lock.name}>
                  <th scope="row"><a href={lockHash(lock.name)}>{lock.name}</a></th>
                  {comparison.columns.map((column) => (
                    <td key={column} class="number">{percent(lock.price?.availability[column])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
