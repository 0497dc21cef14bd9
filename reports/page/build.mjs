// Bundles the page: node build.mjs OUT.cc. Everything is in one file in the end, which may load
// nothing: its own policy forbids it, and allows the one script that is bundled here.
import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];

async function bundled(entry) {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: {'process.env.NODE_ENV': '"production"'},
    charset: 'ascii',
    legalComments: 'none',
    metafile: true,
  });
  return {text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs)};
}

// The licences of the libraries that ended up in the page ask to go with it.
function licences(inputs) {
  const folder = /.*node_modules\/(?:@[^/]+\/)?[^/]+/;
  const folders = new Set(inputs.flatMap((path) => path.match(folder) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`${folder} has no licence`);
    const name = folder.replace(/.*node_modules\//, '');
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join('\n').replaceAll('--', '- -');
}

const script = await bundled('src/main.tsx');
const style = await bundled('src/style.css');
const hash = createHash('sha256').update(script.text).digest('base64');

let page = readFileSync(join(here, 'src/index.html'), 'utf8');
const fillings = {
  HASH: hash,
  LICENCES: licences(script.inputs),
  STYLE: style.text,
  SCRIPT: script.text,
};
for (const [mark, text] of Object.entries(fillings)) page = page.replace(`{{${mark}}}`, () => text);

// The parts between which the data are put. Compilers promise no literal longer than 64 KiB.
const parts = page.split(/\{\{(?:COMPARISON|STORIES)\}\}/);
if (parts.length !== 3) throw new Error('index.html names each of COMPARISON and STORIES once');
const literals = parts.map((part) => {
  const pieces = part.match(/[^]{1,60000}/gu).map((piece) => `    R"page(${piece})page"`);
  return pieces.join(',\n');
});
const names = ['kBeforeComparison', 'kBeforeStories', 'kAfterStories'];
const arrays = names.map(
    (name, i) => `constexpr std::string_view ${name}[] = {\n${literals[i]}};\n`);
writeFileSync(out, `// Made by reports/page/build.mjs.
#include "reports/page_template.h"

namespace picklock::reports {
namespace {

${arrays.join('\n')}
}  // namespace

PageTemplate page_template() { return {${names.join(', ')}}; }

}  // namespace picklock::reports
`);
