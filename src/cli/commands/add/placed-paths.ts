/** Rewrites the paths of a new source, typed relative to the current folder, as its file needs them. */
import { relative, resolve, sep } from 'node:path';
import { hasScheme } from '../../../kit/http/has-scheme.ts';
import type { NewSource } from './add-kind.ts';

/** Settings that may name files. */
const PATH_KEYS: ReadonlySet<string> = new Set([
  'document',
  'schema',
  'proto',
  'includeDirs',
  'ca',
]);

export interface PathBase {
  readonly cwd: string;
  /** The project whose file is written; absent for the user's own, which counts in every folder. */
  readonly project?: string;
}

const placed = (text: unknown, { cwd, project }: PathBase): unknown => {
  if (typeof text !== 'string' || hasScheme(text)) return text;
  const path = resolve(cwd, text);
  if (project === undefined) return path;
  const below = relative(project, path).split(sep).join('/');
  return below === '..' || below.startsWith('../') ? path : below;
};

export const withPlacedPaths = (source: NewSource, base: PathBase): NewSource => {
  const entries = Object.entries(source.settings).map(([key, value]) => {
    if (!PATH_KEYS.has(key)) return [key, value];
    return [
      key,
      Array.isArray(value) ? value.map((one) => placed(one, base)) : placed(value, base),
    ];
  });
  return { ...source, settings: Object.fromEntries(entries) };
};
