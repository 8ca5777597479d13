/** Threat "Paths", generated: random layouts of links and random paths never reach outside the root. */
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  CANARY,
  createGuardedFolder,
  type GuardedFolder,
  tryEverything,
} from '../../../test/fixtures/guarded-folder.ts';

const RUNS = 150;
const NAMES = ['a', 'b', 'sub', 'deep', 'file.txt', 'outside', 'root', 'é', '.git'];

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 3, arbitrary: fc.constantFrom('..', '.', '', '...', '.. ', '..\u200b', '．．') },
  { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: 'grapheme' }) },
);
/** Never absolute: a guard that is broken must not reach the system a test runs on. */
const relative = fc
  .array(segment, { minLength: 1, maxLength: 7 })
  .map((parts) => parts.join('/').replace(/^\/+/, ''));

/** `@` stands for the root and `!` for the folder beside it, which differ from run to run. */
const path = fc.oneof(
  { weight: 5, arbitrary: relative },
  { weight: 2, arbitrary: relative.map((text) => `@/${text}`) },
  { weight: 1, arbitrary: relative.map((text) => `!/${text}`) },
  { weight: 1, arbitrary: fc.constantFrom('@-evil/file.txt', '/proc/self/root!/file.txt', '!') },
);

/** Half of the links lead outside, to something or to nothing: those are the dangerous ones. */
const OUTWARD = [
  '!',
  '!/file.txt',
  '!/new.txt',
  '!/sub',
  '..',
  '../outside',
  '../outside/file.txt',
];
const target = fc.oneof(path, fc.constantFrom(...OUTWARD, ...OUTWARD.map((text) => `../${text}`)));

const entry = fc.record({
  at: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 }),
  target: fc.option(target, { freq: 4 }),
});

/** Through a name that was laid out, mostly: what is asked for at random rarely meets a link. */
const BEHIND = ['', '/file.txt', '/new.txt', '/sub', '/sub/new.txt', '/outside/file.txt', '/..'];
const asked = fc.oneof(
  { weight: 1, arbitrary: path.map((text) => ({ text, which: -1 })) },
  {
    weight: 3,
    arbitrary: fc.record({ text: fc.constantFrom(...BEHIND), which: fc.nat({ max: 5 }) }),
  },
);

const spell = (text: string, { root, outside }: GuardedFolder): string =>
  text.replace(/^@/, root).replace('!', outside);

/** The deepest part of a path that is there already, links followed. */
const deepest = (path: string): string =>
  existsSync(path) ? realpathSync(path) : deepest(dirname(path));

/** A name that is taken already stays what it is, and nothing is laid out beyond a link. */
const build = (folder: GuardedFolder, at: readonly string[], target: string | null): void => {
  const where = join(folder.root, ...at);
  if (!`${deepest(dirname(where))}/`.startsWith(`${folder.root}/`)) return;
  try {
    mkdirSync(dirname(where), { recursive: true });
    if (target === null) writeFileSync(where, 'inside', { flag: 'wx' });
    else symlinkSync(spell(target, folder), where);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
};

it('whatever is there and whatever is asked for, nothing outside is seen or changed', {
  timeout: 60_000,
}, async () => {
  const inputs = [
    fc.array(entry, { minLength: 1, maxLength: 6 }),
    fc.array(asked, { minLength: 1, maxLength: 5 }),
  ] as const;
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(...inputs, async (entries, paths) => {
      const folder = createGuardedFolder();
      try {
        for (const { at, target } of entries) build(folder, at, target);
        const before = folder.surroundings();
        for (const { text, which } of paths) {
          const through = which < 0 ? '' : entries[which % entries.length]?.at.join('/');
          const attempts = await tryEverything(folder.files, spell(`${through}${text}`, folder));
          for (const { seen } of attempts) expect(seen).not.toContain(CANARY);
          reached += attempts.filter(({ code }) => code === '').length;
        }
        expect(folder.surroundings()).toBe(before);
      } finally {
        folder.remove();
      }
    }),
    { numRuns: RUNS },
  );
  // A guard that refuses everything would pass, too.
  expect(reached).toBeGreaterThan(RUNS);
});
