import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { startProgram } from './programs/start-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const FAILPOINTS = [
  'after reserve',
  'during append of the intent',
  'after intent, before effect',
  'before effect',
  'after effect',
  'after effect, before record',
  'during append of the outcome',
  'after record, before acknowledgement',
] as const;

const effects = async (root: string, word: string): Promise<number> => {
  const text = await readFile(join(root, 'world.txt'), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line === word).length;
};

interface Answer {
  readonly status: string;
  readonly code?: string;
  readonly cached: boolean;
}

const callAgain = async (root: string, ...args: readonly string[]): Promise<Answer> => {
  const line = await startProgram('failpoint.mjs', [root, 'nowhere', ...args]).said('result ');
  return JSON.parse(line.slice('result '.length));
};

const dieAt = async (root: string, args: readonly string[]): Promise<void> => {
  expect(await startProgram('failpoint.mjs', [root, ...args]).ended).toMatchObject({
    signal: 'SIGKILL',
  });
};

/** What the next process finds, and what it says about the calls it finds. */
const inspect = async (root: string) => {
  const crib = await createCribHost({
    root,
    builtins: false,
    store: { sqlite: join(root, 'state/state.db') },
  });
  const { audit, intents, ledger } = await crib.store();
  const rows = await audit.query({ limit: 10_000 });
  const begun = rows.filter(({ kind }) => kind === 'intent');
  const states = await Promise.all(
    begun.map(async ({ executionId }) => (await crib.executions.status(executionId))?.effect),
  );
  const found = {
    states,
    sound: (await crib.audit.verify()).ok,
    open: await intents.open(),
    held: (await ledger.lines('')).reduce((sum, line) => sum + line.heldMicros, 0),
  };
  await crib.close();
  return found;
};

const inFolder = async (work: (root: string) => Promise<void>): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'toolcrib-failpoint-'));
  try {
    await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

describe.each(FAILPOINTS)('F2: a crash %s', (failpoint) => {
  it(
    'duplicates no effect of a call with an idempotency key, and flags one in doubt',
    () =>
      inFolder(async (root) => {
        for (let round = 0; round < sized(1, 20); round++) {
          const key = `key-${round}`;
          await dieAt(root, [failpoint, key]);
          const before = await effects(root, key);
          const found = await inspect(root);
          expect(found).toMatchObject({ sound: true, open: [], held: 0 });
          // Nothing happened without an intent on record.
          if (before === 1) expect(found.states).toHaveLength(1);
          const again = await callAgain(root, key);
          const after = await effects(root, key);
          expect(after).toBeLessThanOrEqual(1);
          // Done is told as done; in doubt is a refusal; not begun is simply done now.
          if (again.status === 'success') expect(after).toBe(1);
          else expect([again.code, after]).toEqual(['CONFLICT', before]);
          if (before === 0 && found.states.length === 0) expect(again.status).toBe('success');
          await rm(join(root, 'state'), { recursive: true, force: true });
        }
      }),
    TIME_LIMIT,
  );

  it(
    'without a key: every call in doubt ends unknown, and none runs again by itself',
    () =>
      inFolder(async (root) => {
        for (let round = 0; round < sized(1, 20); round++) {
          const before = await effects(root, 'plain');
          await dieAt(root, [failpoint]);
          const happened = (await effects(root, 'plain')) - before;
          expect(happened).toBeLessThanOrEqual(1);
          const found = await inspect(root);
          expect(found).toMatchObject({ sound: true, open: [], held: 0 });
          expect(await effects(root, 'plain')).toBe(before + happened);
          const [state] = found.states;
          if (happened === 1) expect(['unknown', 'done']).toContain(state);
          else expect(['unknown', 'not_done', undefined]).toContain(state);
          await rm(join(root, 'state'), { recursive: true, force: true });
        }
      }),
    TIME_LIMIT,
  );
});
