// The document of one run, as reports/run_page.cc writes it: the file's own run first, then its twins.
import type {Story} from './story';

export interface Verdict {
  property: string;
  meaning: string;
  outcome: 'holds' | 'violated' | 'unknown';
  count: number;
  promise: string;  // e.g. "promised", "not promised under pause"
  premise: string;  // the condition of the promise, where it has one
  broken: boolean;  // violated although promised
}

export interface RunResult {
  scenario: string;
  source: string;
  twin: string | null;  // the one key that differs from the file
  digest: string;
  events: number;
  ended: string;
  as_expected: boolean;
  surprises: string[];
  verdicts: Verdict[];
  story: Story;
}

export interface RunDocument {
  command: string;
  as_expected: boolean;
  runs: RunResult[];
}
