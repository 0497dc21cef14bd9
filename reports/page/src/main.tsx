import {render} from 'preact';
import {App} from './app';
import type {Comparison} from './comparison';

const comparison: Comparison =
    JSON.parse(document.getElementById('comparison')?.textContent ?? '');
const page = document.getElementById('page')!;
page.replaceChildren();
render(<App comparison={comparison} />, page);
