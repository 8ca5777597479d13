/** What a path consists of, and when it counts as the same one. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PathUse } from '../../contract/path-state.ts';
import { isSamePath, pathState } from './path-state.ts';

const NOTHING_IS_NEW = Number.POSITIVE_INFINITY;
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-state-'));
  mkdirSync(join(root, 'd'));
  mkdirSync(join(root, 'e'));
  writeFileSync(join(root, 'd/f'), 'one');
  writeFileSync(join(root, 'e/f'), 'two');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string): string => join(root, path);
const stateOf = (path: string, use: PathUse = 'named') =>
  pathState({ root, below: path.split('/'), use });

/** Whether the path is the same after the change. */
const survives = (
  path: string,
  change: () => void,
  { use = 'named', askedAt = NOTHING_IS_NEW }: { use?: PathUse; askedAt?: number } = {},
): boolean => {
  const before = stateOf(path, use);
  change();
  return isSamePath(before, stateOf(path, use), askedAt);
};
const exchange = (a: string, b: string): void => {
  renameSync(at(a), at('x'));
  renameSync(at(b), at(a));
  renameSync(at('x'), at(b));
};
/** Saves as editors do: a new file in the place of the old one. */
const save = (path: string, text: string): void => {
  writeFileSync(at('saved'), text);
  renameSync(at('saved'), at(path));
};

describe('a path', () => {
  it('is the same as long as nothing is exchanged, whatever is written into its file', () => {
    expect(survives('d/f', () => undefined)).toBe(true);
    expect(survives('d/f', () => appendFileSync(at('d/f'), 'more'))).toBe(true);
    expect(survives('d', () => writeFileSync(at('d/g'), ''))).toBe(true);
  });

  it('is another one when a folder or a file of it was exchanged, or is gone', () => {
    expect(survives('d/f', () => exchange('d', 'e'))).toBe(false);
    expect(survives('d', () => exchange('d', 'e'))).toBe(false);
    expect(survives('d/new', () => exchange('d', 'e'))).toBe(false);
    expect(survives('d/f', () => exchange('d/f', 'e/f'))).toBe(false);
    expect(survives('d/f', () => rmSync(at('d/f')))).toBe(false);
  });

  it('is another one when its folder was made anew, though the number may be the same', () => {
    const makeAnew = () => {
      rmSync(at('d'), { recursive: true });
      mkdirSync(at('d'));
      writeFileSync(at('d/f'), 'one');
    };
    expect(survives('d/f', makeAnew, { askedAt: 0 })).toBe(false);
  });

  it('is the same when its file was saved since, and another one when it is older', () => {
    expect(survives('d/f', () => save('d/f', 'saved'), { askedAt: 0 })).toBe(true);
    expect(survives('d/f', () => save('d/f', 'saved'))).toBe(false);
  });

  it('is another one when its file became a folder or the other way round', () => {
    const toFolder = () => {
      rmSync(at('d/f'));
      mkdirSync(at('d/f'));
    };
    expect(survives('d/f', toFolder, { askedAt: 0 })).toBe(false);
  });

  it('is another one when its folder became a link to it', () => {
    const toLink = () => {
      renameSync(at('d'), at('moved'));
      symlinkSync('moved', at('d'));
    };
    expect(survives('d/f', toLink, { askedAt: 0 })).toBe(false);
  });

  it('may come into being, when it was made since', () => {
    const make = (path: string) => () => mkdirSync(at(path), { recursive: true });
    expect(survives('new/a', make('new'), { askedAt: 0 })).toBe(true);
    expect(survives('newer/a', make('newer'))).toBe(false);
  });

  it('ends at a file that stands where a folder should', () => {
    expect(stateOf('d/f/g').chain).toHaveLength(3);
  });
});

describe('a path that a command changes', () => {
  it.each([
    ['an edit in place', () => appendFileSync(at('d/f'), 'more')],
    ['a save', () => save('d/f', 'saved')],
  ])('is another one after %s', (_name, change) => {
    expect(survives('d/f', change, { use: 'changed', askedAt: 0 })).toBe(false);
  });

  it('is the same when a file was added to the folder, and not when it came into being', () => {
    const changed = { use: 'changed', askedAt: 0 } as const;
    expect(survives('d', () => writeFileSync(at('d/g'), ''), changed)).toBe(true);
    expect(survives('h', () => writeFileSync(at('h'), ''), changed)).toBe(false);
    expect(survives('i', () => mkdirSync(at('i')), changed)).toBe(false);
  });
});

describe('a path whose content runs', () => {
  const run = { use: 'run', askedAt: 0 } as const;
  it('is the same with the same content, and no other', () => {
    expect(survives('d/f', () => save('d/f', 'one'), run)).toBe(true);
    expect(survives('d/f', () => save('d/f', 'two'), run)).toBe(false);
  });

  it('is identified by its size and times when it is large', () => {
    truncateSync(at('d/f'), 5 * 1024 * 1024);
    expect(survives('d/f', () => undefined, run)).toBe(true);
    expect(survives('d/f', () => truncateSync(at('d/f'), 6 * 1024 * 1024), run)).toBe(false);
    expect(statSync(at('d/f')).size).toBe(6 * 1024 * 1024);
  });
});

it('a state for one use says nothing about another', () => {
  expect(isSamePath(stateOf('d'), { ...stateOf('d'), use: 'changed' }, 0)).toBe(false);
});
