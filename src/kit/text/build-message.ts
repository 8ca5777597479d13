/** What esbuild says about code that it cannot compile. */
import type { Message } from 'esbuild';

/** Gives the column of a message in characters, from 1; the library counts bytes, from 0. */
export const columnOf = (lineText: string, bytes: number): number =>
  Buffer.from(lineText).subarray(0, bytes).toString('utf8').length + 1;

/** Tells a failure of the build from one of the machinery. */
export const isBuildFailure = (
  error: unknown,
): error is Error & { readonly errors: readonly Message[] } =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

/** The options of every build: one bundle in memory that depends on nothing around it. */
export const BUNDLE_IN_MEMORY = {
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  outdir: '/out',
  absWorkingDir: '/',
  write: false,
  sourcemap: 'external',
  sourcesContent: false,
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'silent',
  tsconfigRaw: '{}',
} as const;
