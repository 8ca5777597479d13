/**
 * No file is a fragment of another: shorter than 25 lines, and used by one file of its folder only. It
 * belongs into that file, unless both together would be too long to read or it is loaded when needed.
 */
import { importsOf } from './imports.ts';
import { isTest, type Problems, type SourceText } from './source-text.ts';

const MIN_LINES = 25;
/** A file beyond this deserves a second look itself (`check-lengths.ts`). */
const MAX_TOGETHER = 250;

/** Fragments that stay, with the reason. */
const KEPT: ReadonlyMap<string, string> = new Map([
  [
    'src/stores/memory/memory-grants.ts',
    'each store has a file of this kind for each of its parts',
  ],
]);

const linesOf = ({ text }: SourceText): number => text.replace(/\n$/, '').split('\n').length;
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

export const checkFragments = (files: readonly SourceText[], kept = KEPT): Problems => {
  const sources = new Map(
    files.filter(({ path }) => !isTest(path)).map((file) => [file.path, file] as const),
  );
  const users = new Map<string, Set<string>>();
  const loadedLate = new Set<string>();
  for (const { from, to, isLate } of [...sources.values()].flatMap(importsOf)) {
    users.set(to, (users.get(to) ?? new Set()).add(from));
    if (isLate) loadedLate.add(to);
  }
  return [...sources.values()].flatMap((file) => {
    const { path } = file;
    const [user, ...others] = users.get(path) ?? [];
    const into = user === undefined || others.length > 0 ? undefined : sources.get(user);
    if (!into || linesOf(file) >= MIN_LINES || folderOf(path) !== folderOf(into.path)) return [];
    if (linesOf(file) + linesOf(into) > MAX_TOGETHER) return [];
    if (loadedLate.has(path) || kept.has(path)) return [];
    return [`${path} has ${linesOf(file)} lines and belongs into ${into.path}, its only user`];
  });
};
