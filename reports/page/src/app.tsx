// The whole page: the runs, the matrix, the panel of an open cell or lock, and the charts.
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';
import {Choice, Command, Switch} from './bits';
import {CellPanel} from './cell_panel';
import {Charts} from './charts';
import type {Comparison, Fencing} from './comparison';
import {brokenPromises, serversOf, UNSAFE, verdictOf} from './comparison';
import {count, plural, significant} from './format';
import {Glossary, Key} from './legend';
import {LockPanel} from './lock_panel';
import type {Order} from './matrix';
import {Matrix} from './matrix';
import type {Route} from './route';
import {cellHash, lockHash, parseHash} from './route';
import {propertyName, serverName} from './words';

function hashOf(route: Route | null): string {
  if (!route) return '';
  return route.at === 'cell' ? cellHash(route.lock, route.column, route.fencing) : lockHash(route.lock);
}

export function App({comparison}: {comparison: Comparison}) {
  const [route, go] = useState(() => parseHash(location.hash, comparison));
  const [fencing, fence] = useState<Fencing>(route?.at === 'cell' ? route.fencing : 'none');
  const [choice, choose] = useState(UNSAFE);
  const [server, serve] = useState('all');
  const [order, sort] = useState<Order>({by: 'server'});
  const [column, draw] = useState(route?.at === 'cell' ? route.column : strikingColumn(comparison));
  const left = useRef('');  // the hash of what was open last

  useEffect(() => {
    const follow = () => {
      const next = parseHash(location.hash, comparison);
      go(next);
      if (next?.at !== 'cell') return;
      fence(next.fencing);
      draw(next.column);
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  // Opening a cell moves the focus to its panel; closing it moves the focus back to the cell.
  useLayoutEffect(() => {
    const hash = hashOf(route);
    if (hash === '') {
      const link = [...document.querySelectorAll<HTMLElement>('.matrix a')]
          .find((one) => one.getAttribute('href') === left.current);
      link?.focus();
    } else {
      document.getElementById('panel-heading')?.focus({preventScroll: true});
      document.getElementById('panel')?.scrollIntoView();
    }
    left.current = hash;
  }, [route]);

  useEffect(() => {
    if (!route) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape') location.hash = '#matrix';
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, [route]);

  const switchFencing = (to: Fencing) => {
    fence(to);
    if (route?.at === 'cell') location.hash = cellHash(route.lock, route.column, to);
  };

  const lock = comparison.locks.find((one) => one.name === route?.lock);
  const locks = useMemo(
      () => comparison.locks.filter((one) => server === 'all' || one.server === server), [server]);
  return (
    <>
      <Head comparison={comparison} />
      <section id="matrix" aria-labelledby="matrix-heading">
        <h2 id="matrix-heading">What breaks which lock</h2>
        <div class="controls">
          <Switch
            label="fencing"
            value={fencing}
            options={[{value: 'none', label: 'none'}, {value: 'ideal', label: 'ideal'}]}
            onChange={(value) => switchFencing(value as Fencing)}
          />
          <Choice
            label="property"
            value={choice}
            options={[UNSAFE, ...comparison.properties].map((name) => ({value: name, label: propertyName(name)}))}
            onChange={choose}
          />
          <Choice
            label="locks on"
            value={server}
            options={[{value: 'all', label: 'every server'},
              ...serversOf(comparison).map((name) => ({value: name, label: serverName(name)}))]}
            onChange={serve}
          />
          <Choice
            label="order"
            value={order.by}
            options={[
              {value: 'server', label: 'by server'}, {value: 'name', label: 'by name'},
              {value: 'best', label: 'fewest violations a grant first'},
              {value: 'worst', label: 'most violations a grant first'},
              ...(order.by === 'column' ? [{value: 'column', label: `by ${order.column}`}] : []),
            ]}
            onChange={(by) => by !== 'column' && sort({by} as Order)}
          />
        </div>
        <p class="chosen-property" aria-live="polite">
          {choice === UNSAFE ? 'Unsafe' : propertyName(choice)}: {comparison.property_meanings[choice]}.
        </p>
        <Matrix
          comparison={comparison}
          fencing={fencing}
          choice={choice}
          server={server}
          order={order}
          onOrder={sort}
          current={hashOf(route)}
        />
        <Key />
      </section>
      {route && lock && (
        <section id="panel" class="panel" aria-labelledby="panel-heading">
          {route.at === 'cell' ? (
            <CellPanel
              comparison={comparison}
              lock={lock}
              column={route.column}
              fencing={route.fencing}
              choice={choice}
            />
          ) : (
            <LockPanel comparison={comparison} lock={lock} />
          )}
        </section>
      )}
      <Charts
        comparison={comparison}
        locks={locks}
        fencing={fencing}
        choice={choice}
        column={column}
        onColumn={draw}
      />
      <Glossary comparison={comparison} />
    </>
  );
}

// The charts first show the class of faults that breaks the most locks.
function strikingColumn(comparison: Comparison): string {
  const found = (column: string) =>
      comparison.locks.filter((lock) => verdictOf(lock, column, 'none', UNSAFE).kind === 'found').length;
  const single = comparison.columns.filter((column) => column !== 'all');
  return [...single].sort((a, b) => found(b) - found(a))[0] ?? comparison.columns[0] ?? '';
}

function Head({comparison}: {comparison: Comparison}) {
  const {locks, columns} = comparison;
  const unsafe = (fencing: Fencing) => locks.filter((lock) =>
      columns.some((column) => verdictOf(lock, column, fencing, UNSAFE).kind === 'found')).length;
  const buggy = locks.filter((lock) => brokenPromises(lock) > 0);
  const classes = columns.filter((column) => column !== 'none' && column !== 'all').length;
  return (
    <header>
      <p class="program">picklock compare</p>
      <h1>Which lock, and what breaks it?</h1>
      <p class="abstract">
        {plural(locks.length, 'distributed lock')}, run in a simulator under {plural(classes, 'kind')} of faults. Without
        fencing, {unsafe('none') || 'none'} of them let something unsafe happen to the protected resource under at
        least one kind; with ideal fencing, {unsafe('ideal') || 'none'}.{' '}
        {buggy.length === 0 ? 'No lock broke a promise.' : (
          <>Locks that broke a promise: {buggy.map((lock, i) => (
            <>{i > 0 && ', '}<a href={lockHash(lock.name)}>{lock.name}</a></>
          ))}.</>
        )}{' '}
        Every cell below leads to the shortest run that shows it.
      </p>
      <dl class="what-was-run">
        <div><dt>workload</dt><dd>{comparison.workload.text}</dd></div>
        <div>
          <dt>runs</dt>
          <dd>
            {comparison.runs === null ? 'as many as the time allowed' : `${count(comparison.runs)} in every cell`}, seed{' '}
            {comparison.seed}{comparison.wall_seconds !== null && `, ${significant(comparison.wall_seconds)} s in all`}
            {comparison.interrupted && <strong>; interrupted: some cells have fewer runs, or none</strong>}
          </dd>
        </div>
        <div><dt>to repeat</dt><dd><Command text={comparison.command} /></dd></div>
      </dl>
    </header>
  );
}
