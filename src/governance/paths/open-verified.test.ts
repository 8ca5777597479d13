/** Threat "Paths": a name swapped between check and use, in both ways of noticing it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { createFileAccess } from './file-access.ts';
import { bestVerification, openFolder, openVerified, type Verification } from './open-verified.ts';
import { createPathGuard } from './path-guard.ts';

const modes: Verification[] =
  bestVerification() === 'descriptor' ? ['descriptor', 'inode'] : ['inode'];

let home: string;
let root: string;
let outside: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'swap-')));
  root = join(home, 'root');
  outside = join(home, 'outside');
  mkdirSync(join(root, 'd'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, 'd', 'file.txt'), 'inside');
  writeFileSync(join(outside, 'file.txt'), 'OUTSIDE');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Swaps root/d for a link to the outside and back, as fast as it can, until told to stop. */
const SWAPPER = `
const fs = require('node:fs');
const { workerData } = require('node:worker_threads');
const { dir, parked, link, outside, flag } = workerData;
const turns = new Int32Array(flag);
// Long and short stays, so that some work fits into one on a slow machine and a fast one.
const dwell = () => {
  const most = 400000 * Math.random() ** 3;
  for (let i = 0; i < most; i += 1) Atomics.load(turns, 1);
};
// While the folder is away, a write may make a new one in its place: that one goes.
const put = (from, to) => {
  for (;;) {
    try {
      return fs.renameSync(from, to);
    } catch {
      try { fs.rmSync(to, { recursive: true, force: true }); } catch {}
    }
  }
};
fs.symlinkSync(outside, link);
while (Atomics.load(turns, 0) === 0) {
  put(dir, parked);
  put(link, dir);
  dwell();
  put(dir, link);
  put(parked, dir);
  dwell();
  Atomics.add(turns, 1, 1);
}
`;

/** Runs work while the folder is swapped, until there were many swaps, success and refusal. */
const whileSwapping = async (work: () => Promise<void>) => {
  const flag = new SharedArrayBuffer(8);
  const counters = new Int32Array(flag);
  const dir = join(root, 'd');
  const [parked, link] = [join(root, 'parked'), join(root, 'link')];
  const workerData = { dir, parked, link, outside, flag };
  const worker = new Worker(SWAPPER, { eval: true, workerData });
  const over = new Promise((resolve) => worker.once('exit', resolve));
  const seen = { done: 0, refused: 0 };
  const isEnough = () => Atomics.load(counters, 1) > 300 && seen.done > 100 && seen.refused > 100;
  try {
    while (!isEnough()) {
      try {
        await work();
        seen.done += 1;
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        seen.refused += 1;
      }
    }
  } finally {
    Atomics.store(counters, 0, 1);
    await over;
  }
};

const access = (verification: Verification) =>
  createFileAccess({
    guard: createPathGuard({ root, verification }),
    needs: { paths: [{ path: '.', access: 'write' }] },
    hooks: { beforeChange: async () => undefined, changed: () => undefined, used: () => undefined },
  });

it('openVerified compares inodes where no descriptor shows the path', () => {
  expect(bestVerification(() => false)).toBe('inode');
  expect(bestVerification(() => true)).toBe('descriptor');
});

describe.each(modes)('verification by %s', (verification) => {
  it('opens what lies where it should', async () => {
    const path = join(root, 'd', 'file.txt');
    const handle = await openVerified({ path, kind: 'file', verification });
    expect(String(await handle.readFile())).toBe('inside');
    await handle.close();
  });

  it('refuses a file reached through a link, and a link itself', async () => {
    symlinkSync(outside, join(root, 'l'));
    symlinkSync(join(outside, 'file.txt'), join(root, 'f'));
    const through = join(root, 'l', 'file.txt');
    await expect(openVerified({ path: through, kind: 'file', verification })).rejects.toMatchObject(
      {
        code: 'SECURITY_VIOLATION',
      },
    );
    await expect(
      openVerified({ path: join(root, 'f'), kind: 'file', verification }),
    ).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('refuses the wrong kind', async () => {
    const opening = { path: join(root, 'd'), kind: 'file', verification } as const;
    await expect(openVerified(opening)).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
  });

  it('gives up on a name that always leads to another file', async () => {
    const path = join(root, 'd', 'file.txt');
    const doomed = join(root, 'd', 'doomed.txt');
    writeFileSync(doomed, 'x');
    const opening = { path, kind: 'file', verification, through: doomed } as const;
    await expect(openVerified(opening)).rejects.toMatchObject({
      code: verification === 'descriptor' ? 'SECURITY_VIOLATION' : 'CONFLICT',
    });
  });

  it('notices a file that was removed after it was opened', async () => {
    const folder = await openFolder({ path: join(root, 'd'), verification });
    rmSync(join(root, 'd'), { recursive: true });
    await expect(folder.verify()).rejects.toBeDefined();
    await folder.close();
  });

  it('notices a folder that was moved after it was opened', async () => {
    const folder = await openFolder({ path: join(root, 'd'), verification });
    await folder.verify();
    renameSync(join(root, 'd'), join(root, 'gone'));
    symlinkSync(outside, join(root, 'd'));
    await expect(folder.verify()).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
    await folder.close();
  });

  it('makes and enters folders, but no link in their place', async () => {
    const folder = await openFolder({ path: root, verification });
    const made = await folder.enter('made');
    expect(made.path).toBe(join(root, 'made'));
    await made.sync();
    await made.close();
    symlinkSync(outside, join(root, 'trap'));
    await expect(folder.enter('trap')).rejects.toBeDefined();
    await folder.close();
  });
});

describe.runIf(bestVerification() === 'descriptor')('folders of special file systems', () => {
  it('are opened without a sync where that is unsupported, but not without a folder', async () => {
    const folder = await openFolder({ path: '/proc', verification: 'descriptor' });
    await folder.sync();
    await expect(folder.enter('new')).rejects.toBeDefined();
    await folder.close();
    await expect(folder.sync()).rejects.toBeDefined();
  });
});

describe.runIf(bestVerification() === 'descriptor')(
  'a swap that goes on and on',
  { timeout: 120_000 },
  () => {
    it('never reads outside while a folder is swapped for a link', async () => {
      const fs = access('descriptor');
      await whileSwapping(async () => {
        expect(String(Buffer.from(await fs.read('d/file.txt')))).toBe('inside');
      });
    });

    it('never lists outside while a folder is swapped for a link', async () => {
      writeFileSync(join(outside, 'only-outside.txt'), 'x');
      const fs = access('descriptor');
      await whileSwapping(async () => {
        const names = (await fs.list('d')).map((info) => info.path);
        expect(names).not.toContain('d/only-outside.txt');
      });
    });

    it('never writes or removes outside while a folder is swapped for a link', async () => {
      const fs = access('descriptor');
      let turn = 0;
      await whileSwapping(async () => {
        turn += 1;
        if (turn % 3 === 0) await fs.write('d/file.txt', `turn ${turn}`);
        if (turn % 3 === 1) await fs.write(`d/deep/${turn}/new`, 'new', { createDirs: true });
        if (turn % 3 === 2) await fs.remove(`d/deep/${turn - 1}/new`);
      });
      expect(readFileSync(join(outside, 'file.txt'), 'utf8')).toBe('OUTSIDE');
      expect(readdirSync(outside)).toEqual(['file.txt']);
      expect(existsSync(join(root, 'd', 'file.txt'))).toBe(true);
      expect(readdirSync(join(root, 'd')).filter((name) => name.startsWith('.'))).toEqual([]);
    });
  },
);
