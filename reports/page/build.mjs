// Bundles the pages: node build.mjs OUT_DIR. Writes for each one HTML file in which only the data are
// missing, at {{DATA}}. A page may load nothing: its own policy forbids it, and allows only the script
// that is bundled here. The result depends on the sources and on package-lock.json alone.
import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
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
  // esbuild keeps other letters in regular expressions, whatever its charset.
  const text = result.outputFiles[0].text.trim().replace(
      /[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return {text, inputs: Object.keys(result.metafile.inputs)};
}

// The libraries in the page have licenses that must accompany it.
function licenses(inputs) {
  const folder = /.*node_modules\/(?:@[^/]+\/)?[^/]+/;
  const folders = new Set(inputs.flatMap((path) => path.match(folder) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (file === undefined) throw new Error(`${folder} has no license`);
    const name = folder.replace(/.*node_modules\//, '');
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join('\n').replaceAll('--', '- -');
}

const style = await bundled('src/style.css');
const frame = readFileSync(join(here, 'src/page.html'), 'utf8');
if (frame.split('{{DATA}}').length !== 2) throw new Error('page.html names DATA once');

// One page from its script. `title` is shown until the script knows a better one.
async function write(name, entry, title) {
  const script = await bundled(entry);
  const fillings = {
    TITLE: title,
    HASH: createHash('sha256').update(script.text).digest('base64'),
    LICENSES: licenses(script.inputs),
    STYLE: style.text,
    SCRIPT: script.text,
  };
  let page = frame;
  for (const [mark, text] of Object.entries(fillings)) page = page.replace(`{{${mark}}}`, () => text);
  // The build cuts the page into string literals, between any two bytes.
  if (/[^\0-\x7f]/.test(page)) throw new Error(`${name} has letters that are not ASCII`);
  writeFileSync(join(out, name), page);
}

mkdirSync(out, {recursive: true});
await write('comparison.html', 'src/main.tsx', 'Which lock, and what breaks it? - picklock compare');
await write('run.html', 'src/run.tsx', 'picklock run');
