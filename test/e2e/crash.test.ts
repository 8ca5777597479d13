import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { sized, TIME_LIMIT } from '../guarantees/size.ts';

const SCRIPT = join(import.meta.dirname, '../fixtures/crash-writer.mjs');
const KILLS = sized(6, 60);

/** Starts a writer, kills it in the middle of a call, and returns the calls it said were done. */
const writeUntilKilled = async (root: string, kill: number): Promise<readonly string[]> => {
  const child = spawn(process.execPath, [SCRIPT, root], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  while (!text.includes(`begin ${1 + (kill % 5)}\n`)) await wait(1);
  await wait((kill * 7) % 23);
  child.kill('SIGKILL');
  await gone;
  return [...text.matchAll(/^done \d+ (\S+) success$/gm)].map(([, id]) => id ?? '');
};

describe('a process killed with kill -9 at any moment', () => {
  it(
    'leaves a store that opens, verifies, and has the outcome of each call',
    async () => {
      const root = await mkdtemp(join(tmpdir(), 'toolcrib-crash-'));
      let begun = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const done = await writeUntilKilled(root, kill);
        const crib = await createCribHost({ root });
        expect(await crib.audit.verify()).toMatchObject({ ok: true });
        const store = await crib.store();
        expect(await store.intents.open()).toEqual([]);
        for (const id of done) expect((await crib.executions.status(id))?.effect).toBe('done');
        const intents = await store.audit.query({ kind: 'intent', limit: 100_000 });
        begun = intents.length;
        const newest = intents.slice(0, 3);
        for (const { executionId } of newest) {
          expect(['done', 'not_done', 'unknown']).toContain(
            (await crib.executions.status(executionId))?.effect,
          );
        }
        await crib.close();
      }
      expect(begun).toBeGreaterThan(KILLS);
      await rm(root, { recursive: true, force: true });
    },
    TIME_LIMIT,
  );
});
