// Locks by classes of faults. Each cell shows what was found and links to its panel.
import {useMemo} from 'preact/hooks';
import {BrokenMark, Hidden} from './bits';
import type {Comparison, Fencing, Lock, Verdict} from './comparison';
import {badness, grantedAtWorst, rateOf, verdictOf} from './comparison';
import {count, percent, plural} from './format';
import {cellHash, lockHash} from './route';
import {fencingPhrase, propertyName, serverName} from './words';

export type Order = {by: 'server' | 'name' | 'best' | 'worst'} | {by: 'column'; column: string};

interface Props {
  comparison: Comparison;
  fencing: Fencing;
  choice: string;
  server: string;
  order: Order;
  onOrder: (order: Order) => void;
  current: string;  // the hash of the open cell
}

function ordered(props: Props, locks: Lock[]): Lock[] {
  const {comparison, fencing, choice, order} = props;
  const by = (key: (lock: Lock) => number) => {
    const keys = new Map(locks.map((lock) => [lock, key(lock)]));
    return [...locks].sort((a, b) => keys.get(b)! - keys.get(a)!);
  };
  switch (order.by) {
    case 'server':
      return locks;
    case 'name':
      return [...locks].sort((a, b) => (a.name < b.name ? -1 : 1));
    case 'worst':
      return by((lock) => badness(lock, comparison.columns, fencing, choice));
    case 'best':
      return by((lock) => -badness(lock, comparison.columns, fencing, choice));
    case 'column':
      return by((lock) => {
        const verdict = verdictOf(lock, order.column, fencing, choice);
        return verdict.kind === 'impossible' || verdict.kind === 'nothing' ? -1 : rateOf(verdict);
      });
  }
}

export function Matrix(props: Props) {
  const {comparison, server, order, fencing, choice} = props;
  const locks = ordered(
      props, comparison.locks.filter((lock) => server === 'all' || lock.server === server));
  const groups = order.by === 'server' ? [...new Set(locks.map((lock) => lock.server))] : [null];
  const sorted = order.by === 'column' ? order.column : '';
  return (
    <div class={`scroll matrix-box ${comparison.columns.length <= 12 ? 'fits' : ''}`} tabIndex={0} role="region" aria-label="The matrix of locks and faults">
      <table class="matrix">
        <caption class="hidden">
          Locks by classes of faults: {propertyName(choice)}, {fencingPhrase(fencing)}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="corner">lock</th>
            {comparison.columns.map((column) => (
              <th
                key={column}
                scope="col"
                title={comparison.column_meanings[column]}
                aria-sort={sorted === column ? 'descending' : undefined}
              >
                <button
                  type="button"
                  onClick={() => props.onOrder(sorted === column ? {by: 'server'} : {by: 'column', column})}
                >
                  {column.replaceAll('+', '+\u200b')}<span aria-hidden="true">{sorted === column ? ' \u2193' : ''}</span>
                </button>
              </th>
            ))}
            <th scope="col" class="granted" title="the share of acquires that were granted, under the faults that deny the most">
              granted
            </th>
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group ?? ''}>
            {group !== null && (
              <tr class="group">
                <th scope="rowgroup" colSpan={comparison.columns.length + 2}><span>{serverName(group)}</span></th>
              </tr>
            )}
            {locks.filter((lock) => group === null || lock.server === group).map((lock) => (
              <Row
                key={lock.name}
                lock={lock}
                columns={comparison.columns}
                fencing={fencing}
                choice={choice}
                current={props.current.startsWith(`${lockHash(lock.name)}/`) ? props.current : ''}
              />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

interface RowProps {
  lock: Lock;
  columns: string[];
  fencing: Fencing;
  choice: string;
  current: string;
}

// Not rendered again while a cell of another row is opened.
function Row({lock, columns, fencing, choice, current}: RowProps) {
  return useMemo(() => (
    <tr>
      <th scope="row" title={lock.summary}>
        <a href={lockHash(lock.name)}>{lock.name.replaceAll('-', '-\u200b')}</a>
      </th>
      {columns.map((column) => (
        <td key={column}>
          <CellLink
            hash={cellHash(lock.name, column, fencing)}
            verdict={verdictOf(lock, column, fencing, choice)}
            current={current}
          />
        </td>
      ))}
      <td class="number granted">{percent(grantedAtWorst(lock, columns, fencing))}</td>
    </tr>
  ), [lock, columns, fencing, choice, current]);
}

// The strength of the color behind a rate; the number says it as well.
function level(rate: number): number {
  return rate < 0.01 ? 1 : rate < 0.1 ? 2 : rate < 0.5 ? 3 : 4;
}

function CellLink({hash, verdict, current}: {hash: string; verdict: Verdict; current: string}) {
  const look = verdict.kind === 'found' ? `found level-${level(verdict.rate)}` : verdict.kind;
  return (
    <a
      class={`cell ${look}`}
      href={hash}
      data-kind={verdict.kind}
      aria-current={current === hash ? 'true' : undefined}
      title={verdict.kind === 'impossible' ? verdict.why : undefined}
    >
      <CellFace verdict={verdict} />
    </a>
  );
}

export function CellFace({verdict}: {verdict: Verdict}) {
  switch (verdict.kind) {
    case 'impossible':
      return <>{'\u2013'}<Hidden text={` impossible: ${verdict.why}`} /></>;
    case 'nothing':
      return <>?<Hidden text=" not judged" /></>;
    case 'held':
      return (
        <>
          <span class="rate">{verdict.known ? 'U' : '0'}</span>
          {verdict.known && <Hidden text=" unsafe by the safety table, but not" />}
          <span class="detail">
            <Hidden text={`found in ${count(verdict.runs)} runs, at most `} />
            <span aria-hidden="true">{'\u2264\u2009'}</span>{percent(verdict.interval?.[1])}
          </span>
        </>
      );
    case 'found':
      return (
        <>
          <span class="rate">
            {percent(verdict.rate)}{verdict.broken > 0 && <BrokenMark />}
          </span>
          <span class="detail">
            <Hidden text="found; the smallest takes " />
            {verdict.faults === null ? '' : plural(verdict.faults, 'fault')}
          </span>
        </>
      );
  }
}
