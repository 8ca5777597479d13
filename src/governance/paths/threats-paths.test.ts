/** Threat "Paths": every technique is tried with everything a tool can do, and judged by its effect. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CANARY,
  createGuardedFolder,
  type GuardedFolder,
  tryEverything,
  tryLooking,
} from '../../../test/fixtures/guarded-folder.ts';
import { ToolFailure } from '../../contract/errors.ts';

let folder: GuardedFolder;
beforeEach(() => {
  folder = createGuardedFolder();
});
afterEach(() => folder.remove());

/** Tries everything; the outside stays as it is, and nothing of it is seen. */
const assertHarmless = async (path: string) => {
  const before = folder.surroundings();
  const attempts = await tryEverything(folder.files, path);
  expect(folder.surroundings()).toBe(before);
  for (const { seen } of attempts) expect(seen).not.toContain(CANARY);
  return attempts;
};

/** The same, and every single attempt is refused. */
const assertRefused = async (path: string): Promise<void> => {
  for (const { verb, code } of await assertHarmless(path)) {
    expect(`${verb} ${code}`).not.toBe(`${verb} `);
  }
};

const assertNotReached = async (path: string): Promise<void> => {
  for (const { verb, code } of await tryLooking(folder.files, path)) {
    expect(`${verb} ${code}`).not.toBe(`${verb} `);
  }
};

describe('threat: paths that leave the root by their text', () => {
  const texts = (): readonly string[] => [
    '../outside/file.txt',
    'sub/../../outside/file.txt',
    './../outside/file.txt',
    'sub/deep/../../../outside/file.txt',
    '..',
    '../root-evil/file.txt',
    '../roo/file.txt',
    `${folder.root}-evil/file.txt`,
    `${folder.root}/../outside/file.txt`,
    join(folder.outside, 'file.txt'),
    `/proc/self/root${folder.outside}/file.txt`,
    `/proc/self/cwd/../..${folder.outside}/file.txt`,
    '../root-evil',
    '../.toolcrib/config.yml',
  ];
  it('refuses all paths that leave the root by their text', async () => {
    for (const path of texts()) await assertRefused(path);
  });

  it('refuses paths of the system', async () => {
    for (const path of [
      ...['/etc/passwd', '//etc/passwd', '/proc/self/environ', '/proc/self/fd/0', '/dev/null'],
      ...[`/proc/${process.pid}/root/etc/passwd`, '/dev/fd/0', '/', '/proc/self/root'],
    ]) {
      await assertNotReached(path);
    }
  });

  it('refuses NUL, controls, bidi marks and half characters', async () => {
    for (const path of ['a\u0000', `file.txt\u0000${folder.outside}`, 'a\nb', 'a\u202eb', '\ud800'])
      await assertRefused(path);
  });

  it('refuses names that are too long, and paths that are', async () => {
    await assertRefused('');
    await assertRefused('x'.repeat(300));
    await assertRefused(`${'x/'.repeat(3000)}y`);
    await assertRefused(`${'x'.repeat(5000)}`);
  });

  it('takes what other systems would decode or split as plain names inside', async () => {
    for (const path of [
      '..%2foutside%2ffile.txt',
      '..\\outside\\file.txt',
      'C:\\x',
      '~/file.txt',
    ]) {
      await assertHarmless(path);
    }
  });
});

describe('threat: links that leave the root', () => {
  it('refuses a link to a file, a folder, a link, and through a linked folder', async () => {
    symlinkSync(join(folder.outside, 'file.txt'), join(folder.root, 'l1'));
    symlinkSync(folder.outside, join(folder.root, 'l2'));
    symlinkSync('l1', join(folder.root, 'l3'));
    symlinkSync('../outside', join(folder.root, 'l4'));
    symlinkSync('..', join(folder.root, 'l5'));
    symlinkSync('/', join(folder.root, 'l6'));
    for (const path of [
      ...['l1', 'l2', 'l3', 'l4', 'l5', 'l2/file.txt', 'l4/file.txt', 'l4/new/file.txt'],
      ...['l5/outside/file.txt', `l6${folder.outside}/file.txt`, 'l2/sub/x'],
    ]) {
      await assertRefused(path);
    }
    await assertNotReached('l6/etc/passwd');
    await assertNotReached('l6');
  });

  it('refuses a link to nothing, so that no file comes into being at its end', async () => {
    symlinkSync(join(folder.outside, 'new.txt'), join(folder.root, 'd1'));
    symlinkSync(join(folder.outside, 'new'), join(folder.root, 'd2'));
    for (const path of ['d1', 'd2', 'd2/file.txt', 'd2/deep/file.txt']) await assertRefused(path);
    expect(existsSync(join(folder.outside, 'new.txt'))).toBe(false);
  });

  it('refuses links in a circle', async () => {
    symlinkSync('c2', join(folder.root, 'c1'));
    symlinkSync('c1', join(folder.root, 'c2'));
    await assertRefused('c1');
    await assertRefused('c1/x');
  });

  it('takes .. after a link by its text, as the judge does, not as the kernel would', async () => {
    symlinkSync(join(folder.outside, 'sub'), join(folder.root, 'hop'));
    const attempts = await assertHarmless('hop/../file.txt');
    expect(attempts.find(({ verb }) => verb === 'read')?.seen).toBe('inside');
  });

  it('refuses links into /proc that stand for open files and roots', async () => {
    symlinkSync('/proc/self/root', join(folder.root, 'p1'));
    symlinkSync('/proc/self/fd', join(folder.root, 'p2'));
    symlinkSync('/proc/self/cwd', join(folder.root, 'p3'));
    await assertRefused(`p1${folder.outside}/file.txt`);
    for (const path of ['p2/0', 'p2', 'p3/package.json', 'p1']) await assertNotReached(path);
  });

  it('refuses a link inside the root to a protected or secret name', async () => {
    mkdirSync(join(folder.root, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(folder.root, '.env'), CANARY);
    symlinkSync('.git/hooks', join(folder.root, 'tools'));
    symlinkSync('.env', join(folder.root, 'settings.txt'));
    await assertRefused('settings.txt');
    await expect(folder.files.write('tools/pre-commit', 'x')).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(readdirSync(join(folder.root, '.git', 'hooks'))).toEqual([]);
  });
});

describe('threat: hard links and special files', () => {
  it('never writes through a second name of a file outside', async () => {
    linkSync(join(folder.outside, 'file.txt'), join(folder.root, 'hard.txt'));
    const before = folder.surroundings();
    for (const work of [
      () => folder.files.write('hard.txt', 'x'),
      () => folder.files.remove('hard.txt'),
      () => folder.files.resolve('hard.txt', 'write'),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
    }
    expect(folder.surroundings()).toBe(before);
    expect(statSync(join(folder.outside, 'file.txt')).nlink).toBe(2);
  });

  it('never reads a secret under a second, harmless name', async () => {
    writeFileSync(join(folder.root, '.env'), 'KEY=canary');
    linkSync(join(folder.root, '.env'), join(folder.root, 'notes-of-env.txt'));
    linkSync(join(folder.outside, 'file.txt'), join(folder.root, 'hard.txt'));
    for (const path of ['notes-of-env.txt', 'hard.txt']) {
      await expect(folder.files.read(path)).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
    }
  });

  it('control: reads a file whose names are all harmless, and linked packages', async () => {
    writeFileSync(join(folder.root, 'one.txt'), 'x');
    linkSync(join(folder.root, 'one.txt'), join(folder.root, 'two.txt'));
    mkdirSync(join(folder.root, 'node_modules'));
    linkSync(join(folder.outside, 'file.txt'), join(folder.root, 'node_modules/linked.js'));
    for (const path of ['one.txt', 'two.txt', 'node_modules/linked.js']) {
      await expect(folder.files.read(path)).resolves.toBeInstanceOf(Uint8Array);
    }
  });

  /** Looking at a special file is allowed, opening it is not: nobody waits at a pipe. */
  const assertNotOpened = async (path: string): Promise<void> => {
    for (const { verb, code } of await assertHarmless(path)) {
      if (verb !== 'stat') expect(`${verb} ${code}`).toBe(`${verb} SECURITY_VIOLATION`);
    }
  };

  it('opens no pipe', async () => {
    execFileSync('mkfifo', [join(folder.root, 'pipe')]);
    await assertNotOpened('pipe');
  });

  it('opens no socket', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder.root, 'socket'), resolve));
    try {
      await assertNotOpened('socket');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('opens no device', async (context) => {
    try {
      execFileSync('mknod', [join(folder.root, 'zero'), 'c', '1', '5'], { stdio: 'ignore' });
    } catch {
      console.info('skipped: only root can make a device file');
      context.skip();
    }
    await assertNotOpened('zero');
  });
});

describe('threat: names that programs trust, also when they do not exist yet', () => {
  const NAMES = [
    ...['.toolcrib/config.yml', '.toolcrib/policy.yml', 'sub/.toolcrib/config.yml', '.toolcrib'],
    ...['.git/hooks/pre-commit', '.git/hooks/post-checkout', '.git/config', 'sub/.git/config'],
    ...['.bashrc', '.zshrc', '.profile', '.bash_profile', '.zshenv', '.config/fish/config.fish'],
    ...['.GIT/hooks/x', '.Git/config', '.git./config', '.git /config', '.git::$DATA/config'],
    ...['.g\u200cit/config', '.\uff47it/config', '\uff0egit/config', '.gi\u00adt/config'],
    ...['.toolcrib./config.yml', '.TOOLCRIB/config.yml', '.BASHRC', '.bashrc.', '.bashrc '],
    ...['GIT~1/config', '.gitconfig', '.gdbinit', '.config/autostart/x.desktop'],
  ];

  it.each(NAMES)('never writes %j', async (path) => {
    const before = readdirSync(folder.root, { recursive: true }).sort();
    await expect(folder.files.write(path, 'x', { createDirs: true })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(readdirSync(folder.root, { recursive: true }).sort()).toEqual(before);
  });

  it('never changes or removes existing files with such names', async () => {
    mkdirSync(join(folder.root, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(folder.root, '.git', 'hooks', 'pre-commit'), 'mine');
    const path = '.git/hooks/pre-commit';
    for (const work of [
      () => folder.files.write(path, 'x'),
      () => folder.files.remove(path),
      () => folder.files.remove('.git/hooks'),
    ]) {
      await expect(work()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    }
    expect(readFileSync(join(folder.root, path), 'utf8')).toBe('mine');
    expect(Buffer.from(await folder.files.read(path)).toString()).toBe('mine');
  });
});

/** Puts a link to the canary, a second name of it and a plain file under one name, over and over. */
const FILE_SWAPPER = `
const fs = require('node:fs');
const { workerData } = require('node:worker_threads');
const { path, canary, flag } = workerData;
const turns = new Int32Array(flag);
const next = path + '.next';
const steps = [
  () => fs.symlinkSync(canary, next),
  () => fs.writeFileSync(next, 'inside'),
  () => fs.linkSync(canary, next),
  () => fs.writeFileSync(next, 'inside'),
];
for (let turn = 0; Atomics.load(turns, 0) === 0; turn += 1) {
  try {
    steps[turn % steps.length]();
    fs.renameSync(next, path);
  } catch {
    fs.rmSync(next, { force: true });
  }
  // Two names of one file swallow a rename: then the name beside it is still there.
  fs.rmSync(next, { force: true });
  Atomics.add(turns, 1, 1);
}
`;

describe('threat: a file swapped between check and use', { timeout: 60_000 }, () => {
  it('never writes or removes the canary, and never reads it through a link', async () => {
    const canary = join(folder.outside, 'file.txt');
    const path = join(folder.root, 'swap.txt');
    writeFileSync(path, 'inside');
    const flag = new SharedArrayBuffer(8);
    const counters = new Int32Array(flag);
    const worker = new Worker(FILE_SWAPPER, { eval: true, workerData: { path, canary, flag } });
    const over = new Promise((resolve) => worker.once('exit', resolve));
    const seen = { done: 0, refused: 0 };
    try {
      for (let round = 0; round < 400 || Atomics.load(counters, 1) < 400; round += 1) {
        try {
          if (round % 3 === 0) await folder.files.write('swap.txt', `round ${round}`);
          if (round % 3 === 1) await folder.files.remove('swap.txt');
          if (round % 3 === 2) await folder.files.write('swap.txt', 'x', { overwrite: false });
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
    expect(readFileSync(canary, 'utf8')).toBe(CANARY);
    expect(readdirSync(folder.outside).sort()).toEqual(['file.txt', 'sub']);
    expect(seen.refused).toBeGreaterThan(0);
    expect(seen.done + seen.refused).toBeGreaterThanOrEqual(400);
  });
});

describe('benign controls: ordinary work goes through', () => {
  const NAMES = [
    ...['plain.txt', 'with space.txt', 'ümläut.txt', '日本語/文書.md', 'слова.txt', 'e\u0301.txt'],
    ...['emoji-👨‍👩‍👧.png', 'a..b.txt', '..a', 'a..', '...', '-rf', '100%.txt', "it's.txt", 'a;b'],
    ...['sub/new/deep/er/file.txt', './sub/x.txt', 'sub/../y.txt', '.gitignore', '.github/ci.yml'],
    ...['$HOME', '~', 'a\\b', 'a:b', `${'d/'.repeat(40)}leaf.txt`, 'x'.repeat(200), 'می‌خواهم.txt'],
  ];

  it.each(NAMES)('writes, reads, lists and removes %j', async (path) => {
    const { files } = folder;
    await files.write(path, 'content', { createDirs: true });
    expect(Buffer.from(await files.read(path)).toString()).toBe('content');
    expect((await files.stat(path))?.size).toBe(7);
    await files.remove(path);
    expect(await files.stat(path)).toBeUndefined();
  });

  it('follows links that stay inside, for reading and writing', async () => {
    symlinkSync('sub', join(folder.root, 'same'));
    symlinkSync('sub/file.txt', join(folder.root, 'alias.txt'));
    expect(Buffer.from(await folder.files.read('same/file.txt')).toString()).toBe('inside');
    await folder.files.write('alias.txt', 'changed');
    expect(readFileSync(join(folder.root, 'sub', 'file.txt'), 'utf8')).toBe('changed');
  });

  it('takes absolute paths below the root', async () => {
    const bytes = await folder.files.read(join(folder.root, 'sub', 'file.txt'));
    expect(Buffer.from(bytes).toString()).toBe('inside');
  });
});
