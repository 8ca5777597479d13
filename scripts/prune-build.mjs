// Removes what nobody can import: declarations that no published entry leads to, which are four fifths
// of all, and modules that held nothing but types and are empty now.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const IMPORTED = /(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']+)["']/g;
const DECLARATIONS = { '.ts': '.d.ts', '.js': '.d.ts', '.mjs': '.d.mts' };

const kept = new Set();
const keep = (file) => {
  if (kept.has(file)) return;
  kept.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORTED)) {
    keep(
      resolve(
        dirname(file),
        path.replace(/\.m?[jt]s$/, (end) => DECLARATIONS[end]),
      ),
    );
  }
};
for (const { types } of Object.values(exports)) if (types) keep(join(root, types));

const files = readdirSync(join(root, 'dist'), { recursive: true }).map((entry) =>
  join(root, 'dist', entry),
);
for (const file of files) if (/\.d\.m?ts$/.test(file) && !kept.has(file)) rmSync(file);

const modules = new Map(
  files.filter((file) => file.endsWith('.js')).map((file) => [file, readFileSync(file, 'utf8')]),
);
const imported = new Set(Object.values(exports).map((entry) => join(root, entry.default ?? entry)));
for (const [file, text] of modules) {
  for (const [, path] of text.matchAll(IMPORTED)) imported.add(resolve(dirname(file), path));
}
for (const [file, text] of modules) {
  if (text.trim() === 'export {};' && !imported.has(file)) rmSync(file);
}
