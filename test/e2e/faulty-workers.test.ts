/** Two processes on one cron, handlers that block, a run whose worker is frozen, and no file descriptors left. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { isMissing } from '../fixtures/needed-programs.ts';
import { startRedis } from '../fixtures/real-redis.ts';

const SCRIPT = join(import.meta.dirname, '../fixtures/faulty-worker.mjs');
const TIME_LIMIT = 90_000;

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const makeRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'toolcrib-faults-'));
  cleanup.push(() => rm(root, { recursive: true, force: true }));
  return root;
};

const effectsOf = async (root: string): Promise<readonly string[]> => {
  const text = await readFile(join(root, 'effects.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
};

const start = (command: string, args: readonly string[]) => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup.push(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const said = async (word: string): Promise<void> => {
    while (!text.includes(word) && child.exitCode === null) await wait(5);
  };
  return { child, exited, said, text: () => text };
};

const startWorker = (root: string, fault: string, url: string | undefined) =>
  start(process.execPath, [SCRIPT, root, fault, ...(url === undefined ? [] : [url])]);

/** The address of Redis for jobs there; nothing for those in SQLite. */
const openQueue = async (engine: string): Promise<string | undefined> => {
  if (engine === 'SQLite') return undefined;
  const redis = await startRedis();
  cleanup.push(() => redis.close());
  return redis.url;
};

const ENGINES = ['SQLite', ...(isMissing('redis-server') ? [] : ['Redis'])];

describe.each(ENGINES)('two processes on jobs in %s', (engine) => {
  it(
    'add one job for each moment of a schedule and run it once',
    async () => {
      const root = await makeRoot();
      const url = await openQueue(engine);
      const workers = [1, 2].map(() => startWorker(root, 'schedule', url));
      await Promise.all(workers.map(({ said }) => said('works')));
      while ((await effectsOf(root)).length < 4) await wait(50);
      for (const { child } of workers) child.kill('SIGKILL');
      const ids = await effectsOf(root);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => /^tick@\d+000$/.test(id))).toBe(true);
    },
    TIME_LIMIT,
  );

  it(
    'enter a handler once that blocks its process for longer than a lease',
    async () => {
      const root = await makeRoot();
      const url = await openQueue(engine);
      const workers = [1, 2].map(() => startWorker(root, 'block', url));
      await Promise.all(workers.map(({ exited }) => exited));
      expect(workers.map(({ text }) => text().includes('all over'))).toEqual([true, true]);
      expect((await effectsOf(root)).map((line) => line.split(' ')[1])).toEqual(['begins', 'ends']);
    },
    TIME_LIMIT,
  );
});

it(
  'a run whose worker is frozen is cancelled by another process, and does nothing more once it wakes',
  async () => {
    const root = await makeRoot();
    const worker = startWorker(root, 'freeze', undefined);
    await worker.said('frozen');
    await wait(200);
    const crib = await createCribHost({ root });
    cleanup.push(() => crib.close());
    expect(await crib.flows.cancel('r')).toBe(true);
    worker.child.kill('SIGCONT');
    await worker.exited;
    expect(worker.text()).toContain('over cancelled');
    expect(await effectsOf(root)).toEqual(['step-1', 'step-2', 'step-3']);
    expect((await crib.flows.get('r'))?.status).toBe('cancelled');
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
  },
  TIME_LIMIT,
);

it.skipIf(process.platform === 'win32')(
  'a process without file descriptors answers with errors, and goes on when there are some again',
  async () => {
    const root = await makeRoot();
    const command = `ulimit -n 400; exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, SCRIPT, root, 'descriptors'];
    const worker = start('/bin/sh', args);
    await worker.exited;
    expect(worker.text().split('\n')).toEqual([
      'before: ok ok',
      // The tool opens a file itself.
      'none left: EXECUTION_FAILED EXECUTION_FAILED',
      'after: ok ok',
      'record: true',
      '',
    ]);
    const lines = ['call', '1', '2', '3'];
    expect(await effectsOf(root)).toEqual(
      ['before', 'after'].flatMap((name) => lines.map((line) => `${name}-${line}`)),
    );
  },
  TIME_LIMIT,
);
