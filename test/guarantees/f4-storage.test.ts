import { spawnSync } from 'node:child_process';
import { appendFileSync, closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { CribHost } from '../../src/contract/crib-host.ts';
import { defineFlow } from '../../src/contract/define-flow.ts';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { aTool } from '../fixtures/test-crib.ts';
import { startProgram } from './programs/start-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const run = (command: string, ...args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** A disk of our own that can be filled up and made read-only; only root can have one. */
const mountDisk = async (): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-disk-'));
  if (run('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder)) return folder;
  await rm(folder, { recursive: true, force: true });
  return undefined;
};

const disk = await mountDisk();
const world = await mkdtemp(join(tmpdir(), 'toolcrib-world-'));
if (!disk) console.log('Skipped: mounting a small disk needs root, so none can be filled up.');

afterAll(async () => {
  // Lazily: the files of a closed store stay open until the garbage collector has been by.
  if (disk) run('umount', '-l', disk);
  if (disk) await rm(disk, { recursive: true, force: true });
  await rm(world, { recursive: true, force: true });
});

/** What a call did, by the first word of its name. */
const effectsOf = (name: string): string => join(world, `${name.split('-')[0]}.txt`);

/** Its effect lies on another disk: that it fails must be for want of a record, not of room. */
const act = aTool({
  name: 'act',
  tier: 'write',
  run: ({ word }: { word: string }) => {
    appendFileSync(effectsOf(word), `${word}\n`);
    return word;
  },
} as Parameters<typeof aTool>[0]);

const effects = async (name: string): Promise<readonly string[]> =>
  (await readFile(effectsOf(name), 'utf8').catch(() => '')).split('\n').filter(Boolean);

const intents = async (crib: CribHost): Promise<ReadonlySet<unknown>> => {
  const { audit } = await crib.store();
  const rows = await audit.query({ kind: 'intent', limit: 100_000 });
  return new Set(rows.map(({ detail }) => (detail.input as { word: string }).word));
};

const openCrib = (root: string): Promise<CribHost> =>
  createCribHost({
    root,
    builtins: false,
    tools: [act],
    store: { sqlite: join(root, 'state.db') },
  });

/** Calls until `stop`, and returns how each ended. Never throws, whatever the disk does. */
const callMany = async (
  crib: CribHost,
  name: string,
  count: number,
): Promise<readonly string[]> => {
  const codes: string[] = [];
  for (let n = 0; n < count; n++) {
    const { error } = await crib.execute('act', { word: `${name}-${n}`, pad: 'x'.repeat(4000) });
    codes.push(error?.code ?? 'success');
  }
  return codes;
};

/** Every effect has its intent, the chain is whole, and the same crib works again without help. */
const expectRecovered = async (crib: CribHost, name: string): Promise<void> => {
  expect(await crib.execute('act', { word: `${name}-again` })).toMatchObject({ success: true });
  const known = await intents(crib);
  for (const effect of await effects(name)) expect(known).toContain(effect);
  expect(await crib.audit.verify()).toMatchObject({ ok: true });
};

const fillUp = (root: string): string => {
  const path = join(root, 'ballast');
  const file = openSync(path, 'w');
  try {
    for (let size = 65_536; size >= 1; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size = Math.floor(size / 2);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
  return path;
};

describe('F4: storage that fails', () => {
  it.skipIf(!disk)(
    'a full disk: structured errors, no effect off the record, recovery without help',
    async () => {
      const root = disk as string;
      const crib = await openCrib(root);
      for (let round = 0; round < sized(2, 20); round++) {
        expect(await callMany(crib, `room-${round}`, 3)).toEqual(['success', 'success', 'success']);
        const ballast = fillUp(root);
        const codes = await callMany(crib, `full-${round}`, 60);
        expect(codes.filter((code) => code !== 'success')).not.toEqual([]);
        expect(new Set(codes)).toEqual(
          new Set([...(codes.includes('success') ? ['success'] : []), 'STORE_UNAVAILABLE']),
        );
        await rm(ballast);
        await expectRecovered(crib, `full-${round}`);
      }
      await crib.close();
    },
    TIME_LIMIT,
  );

  it.skipIf(!disk)(
    'a disk that fills up during flows: each run ends or waits, and none repeats an effect',
    async () => {
      const root = join(disk as string, 'flows');
      await mkdir(root);
      const crib = await openCrib(root);
      crib.flows.register(
        defineFlow({
          name: 'words',
          version: '1.0.0',
          run: async (flow, input) => {
            const { name } = input as { readonly name: string };
            for (let n = 0; n < 5; n++) {
              await flow.call('act', { word: `${name}-${n}`, pad: 'x'.repeat(4000) });
            }
          },
        }),
      );
      const names = Array.from({ length: sized(10, 60) }, (_, n) => `flow-${n}`);
      const starts = names.map((name) => crib.flows.start('words', { name }, { runId: name }));
      const ballast = fillUp(root);
      const started = await Promise.allSettled(starts);
      const codes = started.map((each) => (each.status === 'rejected' ? each.reason.code : 'ok'));
      expect(codes.filter((code) => code !== 'ok' && code !== 'STORE_UNAVAILABLE')).toEqual([]);
      await pause(500);
      await rm(ballast);
      const finished = names.map(async (name) => {
        // One that could not be written is started again under its id.
        await crib.flows.start('words', { name }, { runId: name }).catch(() => undefined);
        return (await crib.flows.start('words', { name }, { runId: name })).finished;
      });
      for (const { status, error } of await Promise.all(finished)) {
        // A call that the full disk refused has failed its run; what is in doubt waits for a person.
        if (status === 'failed') expect(error?.code).toBe('STORE_UNAVAILABLE');
        else expect(['completed', 'blocked']).toContain(status);
      }
      const words = await effects('flow');
      expect(new Set(words).size).toBe(words.length);
      await expectRecovered(crib, 'flow');
      await crib.close();
    },
    TIME_LIMIT,
  );

  it.skipIf(!disk)(
    'a read-only disk: structured errors, no effect off the record, recovery without help',
    async () => {
      // A second view of the disk: it can be made read-only whatever files are still open on it.
      const view = await mkdtemp(join(tmpdir(), 'toolcrib-view-'));
      expect(run('mount', '--bind', disk as string, view)).toBe(true);
      const setView = (mode: 'ro' | 'rw'): boolean =>
        run('mount', '-o', `remount,bind,${mode}`, view);
      const root = join(view, 'project');
      await mkdir(root);
      const before = await openCrib(join(disk as string, 'project'));
      expect(await callMany(before, 'writable', 2)).toEqual(['success', 'success']);
      await before.close();
      expect(setView('ro')).toBe(true);
      const crib = await openCrib(root);
      const codes = await callMany(crib, 'readonly', sized(5, 50));
      expect(new Set(codes)).toEqual(new Set(['STORE_UNAVAILABLE']));
      expect(await effects('readonly')).toEqual([]);
      expect(setView('rw')).toBe(true);
      await expectRecovered(crib, 'readonly');
      await crib.close();
      run('umount', '-l', view);
      await rm(view, { recursive: true, force: true });
    },
    TIME_LIMIT,
  );

  it(
    'a locked database: structured errors, no effect off the record, recovery without help',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'toolcrib-locked-'));
      const crib = await openCrib(root);
      expect(await callMany(crib, 'free', 2)).toEqual(['success', 'success']);
      for (let round = 0; round < sized(1, 5); round++) {
        const locker = startProgram('locker.mjs', [join(root, 'state.db')]);
        await locker.said('locked');
        const codes = await callMany(crib, `locked-${round}`, sized(1, 2));
        expect(new Set(codes)).toEqual(new Set(['STORE_UNAVAILABLE']));
        const words = (await effects('locked')).filter((word) =>
          word.startsWith(`locked-${round}`),
        );
        expect(words).toEqual([]);
        locker.say('release');
        await locker.ended;
        await expectRecovered(crib, `locked-${round}`);
      }
      await crib.close();
      await rm(root, { recursive: true, force: true });
    },
    TIME_LIMIT,
  );
});
