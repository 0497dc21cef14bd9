// Numbers as the page writes them.

const NONE = '\u2013';

export function percent(rate: number | null | undefined): string {
  if (rate === null || rate === undefined) return NONE;
  const value = rate * 100;
  if (value === 0) return '0%';
  if (value >= 99.95) return '100%';
  if (value >= 99) return `${(Math.floor(value * 10) / 10).toFixed(1)}%`;
  if (value >= 9.95) return `${value.toFixed(0)}%`;
  if (value >= 0.95) return `${value.toFixed(1)}%`;
  if (value >= 0.01) return `${value.toPrecision(1)}%`;
  return '<0.01%';
}

export function interval(pair: [number, number] | null | undefined): string {
  return pair ? `${percent(pair[0])} to ${percent(pair[1])}` : NONE;
}

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  if (value === 0) return '0 s';
  if (value < 0.001) return `${significant(value * 1e6)} \u00b5s`;
  if (value < 1) return `${significant(value * 1e3)} ms`;
  return `${significant(value)} s`;
}

export function significant(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE;
  if (value >= 1000) return count(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? NONE : value.toLocaleString('en-US');
}

export function plural(value: number, noun: string, nouns = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

export function sentence(text: string): string {
  return text === '' ? '' : `${text[0]!.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

export function instant(at: number): string {
  return at.toFixed(3);
}
