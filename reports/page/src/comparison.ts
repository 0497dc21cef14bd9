// The document of `picklock compare --json`, and the figures that the page derives from it.

export type Interval = [number, number];

export interface Smallest {
  faults: number;
  column: string;  // in which the run was made
  run: number;
  title: string;
  minimal: boolean;
  file: string;
  command: string;
}

export interface PropertyResult {
  verdict: string;
  promised: boolean;
  violations: number;
  broken: number;
  rate: number | null;
  interval: Interval | null;
  smallest?: Smallest | null;
}

export interface Availability {
  asked: number;
  granted: number;
  rate: number | null;
}

// The results of the runs of a cell, without fencing or with it.
export interface Result {
  runs: number;
  idle: number;
  cut_short: number;
  crashed: number;
  faults: number;
  left_out: number;
  availability: Availability;
  unsafe: {runs: number; rate: number | null; interval: Interval | null};
  safety_table?: 'safe' | 'unsafe' | null;
  properties: Record<string, PropertyResult>;
}

// The results of every plan of one fault.
export interface Complete {
  faults: number;  // every plan of at most so many
  plans: number;
  unsafe: number;
  violated: Record<string, number>;  // plans, by property
  fewest: Record<string, number>;    // faults, by property
}

export interface Cell {
  possible: boolean;
  why_impossible: string;
  complete?: Complete | null;
  command: string;
  fencing: Record<string, Result>;
}

export interface Recovery {
  crashes: number;
  p50_seconds: number | null;
  longest_seconds: number | null;
  bound_seconds: number | null;
}

export interface Price {
  acquires: number;
  latency_p50_seconds: number | null;
  latency_p99_seconds: number | null;
  free_p50_seconds: number | null;
  free_p99_seconds: number | null;
  handover_p50_seconds: number | null;
  handover_p99_seconds: number | null;
  messages_per_acquire: number | null;
  commands_per_acquire: number | null;
  wakeups_per_release: number | null;
  longest_overtaking: number | null;
  availability: Record<string, number | null>;
  recovery: Recovery | null;
}

export interface Lock {
  name: string;
  summary: string;
  source: string;
  server: string;
  promises: {property: string; under: string[]; premise: string}[];
  cells: Record<string, Cell>;
  price: Price | null;
}

export interface Workload {
  text: string;
}

export interface Comparison {
  seed: number;
  runs: number | null;
  wall_seconds: number | null;
  interrupted: boolean;
  command: string;
  workload: Workload;
  columns: string[];
  column_meanings: Record<string, string>;
  property_meanings: Record<string, string>;  // of `unsafe` as well
  properties: string[];
  locks: Lock[];
}

export type Fencing = 'none' | 'ideal';
export const FENCINGS: Fencing[] = ['none', 'ideal'];

// The matrix shows one property, or whether anything unsafe happened at the resource.
export const UNSAFE = 'unsafe';
export const UNSAFE_PROPERTIES = ['no-stale-write', 'resource-exclusion'];

export function propertiesOf(choice: string): string[] {
  return choice === UNSAFE ? UNSAFE_PROPERTIES : [choice];
}

// One cell of the matrix, for the chosen property.
export type Verdict =
  | {kind: 'impossible'; why: string}
  | {kind: 'nothing'}  // no run was judged
  | {
      kind: 'found' | 'held';
      runs: number;
      violations: number;
      rate: number;
      interval: Interval | null;
      faults: number | null;  // of the smallest counterexample
      promised: boolean;
      broken: number;
      grants: number;  // in these runs
      known: boolean;  // to be unsafe, by the safety table
    };

export function resultOf(lock: Lock, column: string, fencing: Fencing): Result | undefined {
  return lock.cells[column]?.fencing[fencing];
}

export function verdictOf(lock: Lock, column: string, fencing: Fencing, choice: string): Verdict {
  const cell = lock.cells[column];
  if (!cell) return {kind: 'nothing'};
  if (!cell.possible) return {kind: 'impossible', why: cell.why_impossible};
  const result = cell.fencing[fencing];
  if (!result || result.runs === 0) return {kind: 'nothing'};
  const parts = propertiesOf(choice).flatMap((name) => result.properties[name] ?? []);
  const whole =
      choice === UNSAFE ? {...result.unsafe, violations: result.unsafe.runs} : parts[0];
  if (!whole) return {kind: 'nothing'};
  const faults = parts.flatMap((part) => (part.smallest ? [part.smallest.faults] : []));
  return {
    kind: whole.violations > 0 ? 'found' : 'held',
    runs: result.runs,
    violations: whole.violations,
    rate: whole.rate ?? 0,
    interval: whole.interval,
    faults: faults.length > 0 ? Math.min(...faults) : null,
    promised: parts.some((part) => part.promised),
    broken: parts.reduce((sum, part) => sum + part.broken, 0),
    grants: result.availability.granted,
    known: choice === UNSAFE && result.safety_table === 'unsafe',
  };
}

export function rateOf(verdict: Verdict): number {
  return verdict.kind === 'found' ? verdict.rate : 0;
}

// A write that arrives late, or twice, passes any lock: these classes say something about the
// resource, and do not decide the order of locks. A mix of classes would count them again.
export function decides(column: string): boolean {
  return !['late-write', 'lost-reply', 'all'].includes(column) && !column.includes('+');
}

// Runs with a violation for each grant. A lock that grants less often has fewer chances to break,
// and must not seem safer for it.
export function rateOfGrants(verdict: Verdict): number {
  return verdict.kind === 'found' ? verdict.violations / Math.max(verdict.grants, 1) : 0;
}

// Locks are ordered by this: the mean rate for each grant, over the columns that decide. Those in
// which nothing was found, although it is known to be possible, come after all others without a
// find.
export function badness(lock: Lock, columns: string[], fencing: Fencing, choice: string): number {
  const some = columns.filter(decides);
  const verdicts = (some.length > 0 ? some : columns).map((column) => verdictOf(lock, column, fencing, choice));
  const rates = verdicts.reduce((sum, verdict) => sum + rateOfGrants(verdict), 0);
  const missed = verdicts.filter((verdict) => verdict.kind === 'held' && verdict.known).length;
  return rates / verdicts.length + missed * 1e-9;
}

// The share of acquires that a lock grants under the faults that deny the most.
export function grantedAtWorst(lock: Lock, columns: string[], fencing: Fencing): number | null {
  const rates = columns.flatMap((column) => resultOf(lock, column, fencing)?.availability.rate ?? []);
  return rates.length > 0 ? Math.min(...rates) : null;
}

export function brokenPromises(lock: Lock): number {
  let broken = 0;
  for (const cell of Object.values(lock.cells)) {
    for (const result of Object.values(cell.fencing)) {
      for (const property of Object.values(result.properties)) broken += property.broken;
    }
  }
  return broken;
}

export function serversOf(comparison: Comparison): string[] {
  return [...new Set(comparison.locks.map((lock) => lock.server))];
}
