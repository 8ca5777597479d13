/** Makes a program of the tests runnable by plain Node, for tests that need processes to kill. */
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buildSync } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '../..');

/** Returns the path of the compiled program, in a folder of its own below the system's temp folder. */
export const compileProgram = (
  entry: string,
): { readonly folder: string; readonly program: string } => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-program-'));
  const program = join(folder, basename(entry).replace(/\.ts$/, '.js'));
  buildSync({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, program };
};
