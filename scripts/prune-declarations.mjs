// Removes the declarations that no published entry leads to: nobody can import them, and they are
// four fifths of all.
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

for (const entry of readdirSync(join(root, 'dist'), { recursive: true })) {
  const file = join(root, 'dist', entry);
  if (/\.d\.m?ts$/.test(entry) && !kept.has(file)) rmSync(file);
}
