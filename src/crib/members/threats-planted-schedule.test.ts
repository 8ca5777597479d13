/** Threat: whoever can write the queue has a schedule of somebody else make jobs. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { createSqliteStore } from '../../stores/sqlite/create-sqlite-store.ts';
import { sqliteDepsOf } from '../../stores/sqlite/sqlite-store.ts';
import { createCribHost } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const paid: string[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  tier: 'write',
  input: z.object({ to: z.string() }),
  run: ({ to }) => {
    paid.push(to);
    return to;
  },
});

const open = async () => {
  paid.length = 0;
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-schedule-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  const rules = [{ name: 'all', effect: 'allow' as const, tools: ['*'] }];
  const path = join(root, 'state.db');
  const crib = await createCribHost({
    ...{ root, home: join(root, 'home'), store: { sqlite: path }, builtins: false },
    ...{ tools: [pay], policy: { version: 1, rules } },
  });
  cleanup.push(() => crib.close());
  return { crib, path };
};

const yearly = {
  ...{ cron: '0 0 1 1 *', userId: 'ada', type: 'tool' },
  payload: { tool: 'pay', input: { to: 'bo' } },
};

/** Rewrites the schedule as it lies in the database. */
const rewrite = async (
  path: string,
  change: (record: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> => {
  const store = await createSqliteStore({ path, runtime: createRuntime() });
  const { database, writer } = sqliteDepsOf(store) ?? {};
  const row = database?.prepare('SELECT record FROM job_schedules').get();
  const { record } = row as { readonly record: string };
  const text = JSON.stringify(change(JSON.parse(record)));
  await writer?.write(() =>
    database?.prepare('UPDATE job_schedules SET next_at = 1, record = ?').run(text),
  );
  await store.close();
};

describe('a schedule that was changed in the queue', () => {
  it.each<[string, (record: Record<string, unknown>) => Record<string, unknown>]>([
    ['another next moment', (record) => ({ ...record, nextAt: Date.now() - 1_000 })],
    [
      'another pattern',
      (record) => ({
        ...record,
        cron: '* * * * * *',
        nextAt: 1_000 * Math.floor(Date.now() / 1_000),
      }),
    ],
    [
      'another pattern in its job, too',
      (record) => {
        const job = record.job as { readonly scheduledBy: object };
        const scheduledBy = { ...job.scheduledBy, cron: '* * * * * *', since: 0 };
        const nextAt = 1_000 * Math.floor(Date.now() / 1_000);
        return { ...record, cron: '* * * * * *', nextAt, job: { ...job, scheduledBy } };
      },
    ],
  ])('adds no job that a worker runs: %s', async (_title, change) => {
    const { crib, path } = await open();
    await crib.jobs.schedule('yearly', yearly);
    await rewrite(path, change);
    await crib.jobs.work();
    await expect
      .poll(async () => (await crib.jobs.list({ state: 'dead' })).length, { timeout: 20_000 })
      .toBeGreaterThan(0);
    expect((await crib.jobs.list({ state: 'dead' }))[0]?.error?.code).toBe('SECURITY_VIOLATION');
    expect(paid).toEqual([]);
  });
});

describe('the schedules of one user', () => {
  it('are at most a hundred, unless it is an admin', async () => {
    const { crib } = await open();
    for (let at = 0; at < 100; at += 1) await crib.jobs.schedule(`s${at}`, yearly);
    await expect(crib.jobs.schedule('more', yearly)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await crib.jobs.schedule('s5', yearly);
    await crib.jobs.schedule('of-bo', { ...yearly, userId: 'bo' });
    await crib.jobs.schedule('of-admin', { ...yearly, roles: ['admin'] });
  });
});
