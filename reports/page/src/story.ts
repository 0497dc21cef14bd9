// The stories of the finds: compressed in the page, and inflated when the first one is opened.

export type ProcessKind = 'client' | 'server' | 'resource';
export type Change = [process: number, shift: string, owner?: string];

export interface Row {
  kind:
    | 'exchange' | 'departure' | 'lost' | 'reply' | 'event' | 'fault' | 'fold' | 'violation'
    | 'gap' | 'end';
  at: number;
  from?: number;
  to?: number;
  more?: number[];  // further servers of which the same is told; of a reply, its further senders
  text: string;
  answer?: string;
  outcome?: string;
  complete?: boolean;
  concerned?: number[];
  before?: Change[];
  within?: Change[];
}

export interface Story {
  title: string;
  algorithm: string;
  seed: number;
  faults: {text: string; at?: number}[];
  broken: {property: string; count: number; sentences: string[]}[];
  processes: {name: string; kind: ProcessKind}[];
  rows: Row[];
}

let stories: Promise<Record<string, Story>> | undefined;

async function inflate(): Promise<Record<string, Story>> {
  const text = document.getElementById('stories')?.textContent ?? '';
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

export async function story(file: string): Promise<Story | undefined> {
  stories ??= inflate();
  const all = await stories;
  return Object.hasOwn(all, file) ? all[file] : undefined;
}
