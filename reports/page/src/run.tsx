import {render} from 'preact';
import type {RunDocument} from './run';
import {RunPage} from './run_page';

const run: RunDocument = JSON.parse(document.getElementById('run')?.textContent ?? '');
const page = document.getElementById('page')!;
const title = run.runs[0]?.story.title || run.runs[0]?.scenario;
if (title) document.title = `${title} - picklock run`;
page.replaceChildren();
render(<RunPage run={run} />, page);
