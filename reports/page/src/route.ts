// The address after #: #LOCK/COLUMN/FENCING is a cell, #LOCK a lock.
import type {Comparison, Fencing} from './comparison';
import {FENCINGS} from './comparison';

export type Route =
  | {at: 'cell'; lock: string; column: string; fencing: Fencing}
  | {at: 'lock'; lock: string};

// A mix is written pause+partition: a plus needs no escape after #.
function escaped(part: string): string {
  return encodeURIComponent(part).replaceAll('%2B', '+');
}

export function cellHash(lock: string, column: string, fencing: Fencing): string {
  return `#${escaped(lock)}/${escaped(column)}/${fencing}`;
}

export function lockHash(lock: string): string {
  return `#${escaped(lock)}`;
}

export function parseHash(hash: string, comparison: Comparison): Route | null {
  let parts: string[];
  try {
    parts = hash.replace(/^#/, '').split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
  const [name, column, word] = parts;
  const lock = comparison.locks.find((one) => one.name === name);
  if (!lock) return null;
  if (parts.length === 1) return {at: 'lock', lock: lock.name};
  const fencing = FENCINGS.find((one) => one === word) ?? 'none';
  if (column === undefined || !comparison.columns.includes(column)) return null;
  return {at: 'cell', lock: lock.name, column, fencing};
}
