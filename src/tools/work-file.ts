/**
 * Finds the file of a work module, for a process that has to load it: beside the file that names it,
 * in the package and in the bundle. From sources it is compiled first, because Node 20 runs no TypeScript.
 */

import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const CACHE = '../../node_modules/.cache/toolcrib-work/';

const compile = async (source: URL): Promise<string> => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const folder = new URL(CACHE, import.meta.url);
  await mkdir(folder, { recursive: true });
  const file = new URL(`${createHash('sha256').update(code).digest('hex')}.mjs`, folder);
  await writeFile(file, code);
  return file.href;
};

/** The address of the module `name` beside the module `from`. */
export const workFile = async (name: string, from: string): Promise<string> =>
  from.endsWith('.ts')
    ? compile(new URL(`./${name}.ts`, from))
    : new URL(`./${name}.js`, from).href;
