// The pages in a browser, as a user works with them: node page_test.mjs SMALL.html FULL.html RUN.html
import assert from 'node:assert/strict';
import {readFileSync, statSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {chromium} from 'playwright-core';

const [small, full, run] = process.argv.slice(2);
const kMostBytes = 5 * 1024 * 1024;
const kUnsafe = ['no-stale-write', 'resource-exclusion'];
// What is cut off depends on the width alone, and what is faint on the scheme alone.
const kLooks = [[400, 'light'], [1280, 'dark']];

let browser;
before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.PICKLOCK_CHROMIUM,
    args: [
      ...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  });
});
after(() => browser?.close());

function documentOf(file, id) {
  const text = readFileSync(file, 'utf8');
  return JSON.parse(new RegExp(`<script type="application/json" id="${id}">([^<]*)<`).exec(text)[1]);
}
const comparisonOf = (file) => documentOf(file, 'comparison');

// Opens the page, calls `use` with it, and checks that the page logged no error and requested nothing.
async function withPage({file = small, hash = '', width = 1280, scheme = 'light', ready = '.matrix a.cell'}, use) {
  const context = await browser.newContext({viewport: {width, height: 900}, colorScheme: scheme});
  const page = await context.newPage();
  const troubles = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('request', (request) => {
    if (!request.isNavigationRequest() && !request.url().startsWith('data:')) troubles.push(`asks for ${request.url()}`);
  });
  page.on('requestfailed', (request) => troubles.push(`cannot load ${request.url()}`));
  await page.goto(pathToFileURL(file).href + hash);
  await page.waitForSelector(ready);
  await use(page);
  assert.deepEqual(troubles, []);
  await context.close();
}

function kindOf(lock, column, fencing, choice) {
  const cell = lock.cells[column];
  if (!cell.possible) return 'impossible';
  const result = cell.fencing[fencing];
  const broke = choice === 'unsafe' ? result.unsafe.runs : result.properties[choice].violations;
  return broke > 0 ? 'found' : 'held';
}

// The cells of the matrix, as LOCK/COLUMN: kind.
function shown(page) {
  return page.$$eval('.matrix a.cell', (cells) => Object.fromEntries(cells.map((cell) => {
    const [lock, column] = decodeURIComponent(cell.hash.slice(1)).split('/');
    return [`${lock}/${column}`, cell.dataset.kind];
  })));
}

function expected(comparison, fencing, choice) {
  return Object.fromEntries(comparison.locks.flatMap((lock) => comparison.columns.map(
      (column) => [`${lock.name}/${column}`, kindOf(lock, column, fencing, choice)])));
}

// Opens every cell of one fencing, or one cell in `every`, and in the page every story in it; returns what is wrong.
function walk(page, fencing, every = 1) {
  return page.evaluate(async ([fencing, every]) => {
    const {locks, columns} = JSON.parse(document.getElementById('comparison').textContent);
    const amiss = [];
    const tally = {cells: 0, stories: 0};
    const until = async (what, holds) => {
      for (let i = 0; i < 2000; ++i) {
        if (holds()) return true;
        await new Promise((next) => setTimeout(next));
      }
      amiss.push(what);
      return false;
    };
    let passed = 0;
    for (const column of columns) {
      for (const lock of locks) {
        if (passed++ % every > 0) continue;
        const where = `${lock.name}/${column}/${fencing}`;
        location.hash = `#${where}`;
        const heading = () => document.getElementById('panel-heading')?.textContent ?? '';
        const phrase = fencing === 'none' ? 'without fencing' : 'with ideal fencing';
        const title = `${lock.name} under ${column}, ${phrase}`;
        if (!await until(`${where}: no panel`, () => heading() === title)) continue;
        ++tally.cells;
        const cell = lock.cells[column];
        const text = document.getElementById('panel').textContent;
        if (!cell.possible) {
          if (!text.includes(cell.why_impossible)) amiss.push(`${where}: does not say why it is impossible`);
          continue;
        }
        const result = cell.fencing[fencing];
        const {unsafe, faults, fewest} = cell.complete ?? {};
        const enough = unsafe > 0 ? ['One fault is', 'Two faults are'][fewest.unsafe - 1]
          : ['No one fault is', 'No two faults are'][faults - 1];
        const tried = ['one fault', 'one fault or two'][faults - 1];
        const decided = cell.complete && fencing === 'none'
          ? `${enough} enough. Every plan of ${tried} was tried`
          : '';
        if (!text.includes(decided)) amiss.push(`${where}: does not say what is decided`);
        if (!text.includes(cell.command)) amiss.push(`${where}: no command`);
        if (result.unsafe.runs === 0 && !text.includes('the rate is at most')) amiss.push(`${where}: no bound`);
        for (const [name, property] of Object.entries(result.properties)) {
          if (property.violations === 0) continue;
          const find = document.getElementById(`story-${name}`);
          if (!find) {
            amiss.push(`${where}: ${name} has no story`);
            continue;
          }
          find.open = true;
          if (!await until(`${where}: ${name} is not told`, () => find.querySelector('.diagram .row'))) continue;
          ++tally.stories;
          const told = find.textContent;
          if (!told.includes(property.smallest.file)) amiss.push(`${where}: ${name} names no file`);
          if (!told.includes(`picklock run ${property.smallest.file}`)) amiss.push(`${where}: ${name}: no command`);
          if (!find.querySelector('.row.violation')) amiss.push(`${where}: ${name}: no violation is drawn`);
        }
      }
    }
    return {amiss, tally};
  }, [fencing, every]);
}

for (const fencing of ['none', 'ideal']) {
  test(`every cell leads to its stories, fencing ${fencing}`, () => withPage({}, async (page) => {
    const {amiss, tally} = await walk(page, fencing);
    assert.deepEqual(amiss, []);
    assert.ok(tally.cells > 0 && tally.stories > 0, JSON.stringify(tally));
  }));
}

// Five does not divide the number of locks, so that each lock is opened under several columns.
test('one cell in five of a full comparison leads to its stories', () => withPage({file: full}, async (page) => {
  assert.notEqual(comparisonOf(full).locks.length % 5, 0);
  const {amiss, tally} = await walk(page, 'none', 5);
  assert.deepEqual(amiss, []);
  console.log(`full comparison: ${tally.cells} cells without fencing, ${tally.stories} stories walked`);
}));

test('the matrix shows what the document says, under every property and fencing', () => withPage({}, async (page) => {
  const comparison = comparisonOf(small);
  const seen = new Set();
  for (const fencing of ['none', 'ideal']) {
    await page.getByText(fencing, {exact: true}).first().click();
    for (const choice of ['unsafe', ...comparison.properties]) {
      await page.getByLabel('property', {exact: true}).selectOption(choice);
      const matrix = await shown(page);
      assert.deepEqual(matrix, expected(comparison, fencing, choice), `${choice}, ${fencing}`);
      seen.add(JSON.stringify(matrix));
    }
  }
  assert.ok(seen.size > 4, 'the choices make a difference');
}));

test('locks are ordered by violations a grant, whatever late writes and lost replies do', () => withPage({}, async (page) => {
  const {locks, columns} = comparisonOf(small);
  const deciding = columns.filter((column) => !['late-write', 'lost-reply', 'all'].includes(column));
  const badness = (lock) => deciding.reduce((sum, column) => {
    const result = lock.cells[column].fencing.none;
    return sum + (lock.cells[column].possible ? result.unsafe.runs / result.availability.granted : 0);
  }, 0);
  const byName = new Map(locks.map((lock) => [lock.name, lock]));
  const names = () => page.$$eval('.matrix tbody th a', (links) => links.map((link) => link.textContent.replaceAll('\u200b', '')));
  await page.getByLabel('order', {exact: true}).selectOption('best');
  const best = (await names()).map((name) => badness(byName.get(name)));
  assert.deepEqual(best, [...best].sort((a, b) => a - b));
  await page.getByLabel('order', {exact: true}).selectOption('worst');
  const worst = (await names()).map((name) => badness(byName.get(name)));
  assert.deepEqual(worst, [...worst].sort((a, b) => b - a));
  assert.notEqual(best[0], worst[0]);
  assert.equal(await page.locator('.matrix tbody td.granted').count(), locks.length);
}));

test('a cell that is known to be unsafe is not shown as one without a find', () => withPage({}, async (page) => {
  const {locks, columns} = comparisonOf(small);
  const missed = locks.flatMap((lock) => columns.filter((column) => {
    const {possible, fencing} = lock.cells[column];
    return possible && fencing.none.unsafe.runs === 0 && fencing.none.safety_table === 'unsafe';
  }).map((column) => `#${lock.name}/${column}/none`));
  assert.ok(missed.length > 0);
  const marked = await page.$$eval('.matrix a.cell', (cells) => cells.filter(
      (cell) => cell.querySelector('.rate')?.textContent === 'U').map((cell) => decodeURIComponent(cell.hash)));
  assert.deepEqual(marked.map((hash) => hash.replace(/\/none$|$/, '/none')).sort(), missed.sort());
}));

test('locks are filtered by server, and ordered', () => withPage({}, async (page) => {
  const {locks, columns} = comparisonOf(small);
  const names = () => page.$$eval('.matrix tbody th a', (links) => links.map((link) => link.textContent.replaceAll('\u200b', '')));
  for (const server of new Set(locks.map((lock) => lock.server))) {
    await page.getByLabel('locks on', {exact: true}).selectOption(server);
    assert.deepEqual(await names(), locks.filter((lock) => lock.server === server).map((lock) => lock.name));
  }
  await page.getByLabel('locks on', {exact: true}).selectOption('all');
  await page.getByLabel('order', {exact: true}).selectOption('name');
  assert.deepEqual(await names(), locks.map((lock) => lock.name).sort());
  await page.locator('.matrix thead button').nth(1).click();
  const rate = (lock) => {
    const cell = lock.cells[columns[1]];
    return cell.possible ? cell.fencing.none.unsafe.rate : -1;
  };
  const byName = new Map(locks.map((lock) => [lock.name, lock]));
  const rates = (await names()).map((name) => rate(byName.get(name)));
  assert.deepEqual(rates, [...rates].sort((a, b) => b - a));
}));

test('a cell works by keyboard, and Escape leads back to it', () => withPage({}, async (page) => {
  await page.locator('.matrix thead button').last().focus();
  const at = () => page.evaluate(() => document.activeElement.getAttribute('href') ?? '');
  let hash = '';
  for (let i = 0; i < 200; ++i) {
    await page.keyboard.press('Tab');
    hash = await at();
    if (await page.evaluate(() => document.activeElement.dataset.kind === 'found')) break;
  }
  assert.match(hash, /^#.+\/.+\/none$/);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.panel .diagram .row');
  assert.equal(await page.evaluate(() => location.hash), hash);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'panel-heading');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.panel', {state: 'detached'});
  assert.equal(await at(), hash);
}));

test('the fencing switch works by keyboard and takes an open cell along', async () => {
  const lock = comparisonOf(small).locks[0];
  await withPage({hash: `#${lock.name}/pause/none`}, async (page) => {
    await page.locator('input[type=radio][value=none]').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.getElementById('panel-heading').textContent.endsWith('with ideal fencing'));
    assert.equal(await page.evaluate(() => location.hash), `#${lock.name}/pause/ideal`);
  });
});

test('deep links open a cell or a lock, and what is unknown opens nothing', async () => {
  const lock = comparisonOf(small).locks[0];
  await withPage({hash: `#${lock.name}/pause/ideal`}, async (page) => {
    assert.equal(await page.textContent('#panel-heading'), `${lock.name} under pause, with ideal fencing`);
    assert.deepEqual(await shown(page), expected(comparisonOf(small), 'ideal', 'unsafe'));
  });
  await withPage({hash: `#${lock.name}`}, async (page) => {
    const text = await page.textContent('#panel');
    for (const part of [lock.summary.slice(1), lock.source, lock.promises[0].property, 'messages per acquire', 'bound'])
      assert.ok(text.includes(part), part);
  });
  for (const hash of ['#no-such-lock', `#${lock.name}/no-such-fault/none`, '#%E0%A4%A', '#constructor/pause/none'])
    await withPage({hash}, async (page) => assert.equal(await page.locator('.panel').count(), 0, hash));
});

test('the charts show every lock, and lead to it', () => withPage({}, async (page) => {
  const {locks, columns} = comparisonOf(small);
  await page.waitForSelector('#availability svg');
  for (const column of columns) {
    await page.getByLabel('faults', {exact: true}).selectOption(column);
    const possible = locks.filter((lock) => lock.cells[column].possible).length;
    await page.waitForFunction(([to, dots]) => {
      const links = [...document.querySelectorAll('#rates svg a')];
      return links.length === dots && links.every((link) => link.getAttribute('href').endsWith(`/${to}/none`));
    }, [column, possible]);
  }
  assert.equal(await page.locator('#price svg').count(), 3);
}));

// Visible texts with too little contrast to their background.
function faintTexts(page) {
  return page.evaluate(() => {
    const channels = (color) => (/^rgba?\((.*)\)$/.exec(color)?.[1] ?? '').split(',').map(Number);
    const light = (color) => {
      const [r, g, b] = channels(color).slice(0, 3).map((value) => {
        const part = value / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint = new Set();
    const texts = document.createTreeWalker(document.getElementById('page'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const element = texts.currentNode.parentElement;
      const style = getComputedStyle(element);
      const hidden = !texts.currentNode.textContent.trim() || style.opacity === '0' || !element.checkVisibility();
      if (hidden || element.closest('option, .hidden')) continue;
      let ground = element;
      const clear = (one) => (channels(getComputedStyle(one).backgroundColor)[3] ?? 1) === 0;
      while (clear(ground) && ground.parentElement) ground = ground.parentElement;
      const ink = element.closest('svg') ? style.fill : style.color;
      const [one, other] = [light(ink), light(getComputedStyle(ground).backgroundColor)];
      const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
      if (ratio < 4.5) faint.add(`${element.className} "${texts.currentNode.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
    }
    return [...faint];
  });
}

for (const [width, scheme] of kLooks) {
  test(`nothing is cut off or faint at ${width} pixels, ${scheme}`, async () => {
    const comparison = comparisonOf(small);
    const found = comparison.locks.flatMap((lock) => comparison.columns
        .filter((column) => kindOf(lock, column, 'none', 'unsafe') === 'found')
        .map((column) => `#${lock.name}/${column}/none`));
    await withPage({width, scheme}, async (page) => {
      await page.waitForSelector('#availability svg');
      for (const hash of ['', `#${comparison.locks[0].name}`, ...found]) {
        await page.evaluate((to) => {
          location.hash = to;
        }, hash);
        if (hash.includes('/')) await page.waitForSelector(`.panel a[href="${hash.replace(/\/.*/, '')}"]`);
        await page.evaluate(() => document.querySelectorAll('details').forEach((one) => {
          one.open = true;
        }));
        await page.waitForFunction(
            () => [...document.querySelectorAll('.find')].every((find) => find.querySelector('.diagram')));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= width, `${hash}: ${wide} pixels wide`);
        assert.deepEqual(await faintTexts(page), [], hash);
      }
    });
  });
}

const withRun = (options, use) => withPage({file: run, ready: '#story .diagram .row', ...options}, use);

test('the page of a run tells its story, every property and its twins', () => withRun({}, async (page) => {
  const {command, runs} = documentOf(run, 'run');
  const [own, ...twins] = runs;
  assert.equal(await page.title(), `${own.story.title} - picklock run`);
  assert.equal(await page.textContent('h1'), own.story.title);
  assert.ok((await page.textContent('header')).includes(command));
  const told = async (section, result) => {
    const text = await section.textContent();
    for (const {property, sentences} of result.story.broken)
      assert.ok(text.includes(`${property}: ${sentences[0]}`), sentences[0]);
    for (const fault of result.story.faults) assert.ok(text.includes(fault.text), fault.text);
    for (const surprise of result.surprises) assert.ok(text.includes(surprise), surprise);
    assert.ok(text.includes(result.digest), result.digest);
    assert.equal(await section.locator('.diagram .row').count(), result.story.rows.length);
    const verdicts = await section.locator('.properties tbody tr').evaluateAll((lines) => lines.map(
        (line) => [line.querySelector('th').textContent, /holds|violated|unknown/.exec(line.textContent)[0]]));
    assert.deepEqual(Object.fromEntries(verdicts),
                     Object.fromEntries(result.verdicts.map((one) => [one.property, one.outcome])));
    const kinds = verdicts.map(([, outcome]) => outcome);
    assert.deepEqual(kinds, [...kinds].sort().reverse(), 'violated properties come first');
  };
  await told(page.locator('#story'), own);
  assert.ok(own.story.broken.length > 0 && twins.length > 0, 'the sample has something to tell');
  const folded = page.locator('#twins details');
  assert.equal(await folded.count(), twins.length);
  for (const [i, twin] of twins.entries()) {
    const one = folded.nth(i);
    assert.ok((await one.textContent()).includes(twin.twin));
    await one.locator('summary').click();
    await one.locator('.diagram .row').first().waitFor();
    await told(one, twin);
  }
}));

for (const [width, scheme] of kLooks) {
  test(`nothing of a run is cut off or faint at ${width} pixels, ${scheme}`, () => withRun({width, scheme}, async (page) => {
    for (const summary of await page.locator('#twins summary').all()) await summary.click();
    await page.waitForFunction(() => [...document.querySelectorAll('#twins details')].every((one) => one.querySelector('.diagram')));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels wide`);
    assert.deepEqual(await faintTexts(page), []);
  }));
}

// The times are printed and decide nothing.
test('a full comparison is small enough', async () => {
  const {locks, columns} = comparisonOf(full);
  const bytes = statSync(full).size;
  console.log(`full comparison: ${locks.length} locks x ${columns.length} columns, ${bytes} bytes`);
  assert.ok(bytes < kMostBytes, `${bytes} bytes`);
  for (const hash of ['', `#${locks[0].name}/pause/none`]) {
    const start = performance.now();
    await withPage({file: full, hash}, async (page) => {
      await page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));
      const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
      console.log(`full comparison${hash && `, ${hash}`}: on screen after ${Math.round(performance.now() - start)} ms, ` +
          `first paint at ${Math.round(paint)} ms`);
    });
  }
});
