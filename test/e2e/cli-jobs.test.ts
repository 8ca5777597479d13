/** Jobs from outside: added, listed and changed by commands, run by a worker that ends on SIGTERM. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Job, JobCounts, StoredSchedule } from '../../src/contract/queue.ts';
import { createQuickProject } from './quick-project.ts';
import type { Project } from './run-toolcrib.ts';

let project: Project;
beforeAll(() => {
  project = createQuickProject();
}, 180_000);

const run = (...args: readonly string[]) => project.run(args);
const calculation = (expression: string): string =>
  JSON.stringify({ tool: 'calculator', input: { expression } });

/** Runs a worker until a job is over, then ends it like a service manager does. */
const workUntil = async (
  jobId: string,
): Promise<{ readonly code: unknown; readonly out: string }> => {
  const child = project.start(['worker', '--json', '--concurrency', '2']);
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += String(chunk);
  });
  const closed = once(child, 'close');
  await expect
    .poll(() => out.includes(`"${jobId}"`) || child.exitCode !== null, { timeout: 60_000 })
    .toBe(true);
  child.kill('SIGTERM');
  const [code] = (await closed) as [unknown];
  return { code, out };
};

describe('toolcrib jobs and toolcrib worker', () => {
  it('a worker runs what was added and lets its jobs end when it is stopped', async () => {
    const { id } = (await run('jobs', 'add', 'tool', calculation('6*7'), '--json')).json<Job>();
    const { code, out } = await workUntil(id);
    expect(code).toBe(0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual({
      id,
      type: 'tool',
      queue: 'default',
      attempt: 1,
      end: 'completed',
    });
    const job = (await run('jobs', 'show', id, '--json')).json<Job>();
    expect(job).toMatchObject({ state: 'completed', result: { result: 42 } });
    expect((await run('jobs', 'show', id)).out).toContain('State:    completed');
  }, 120_000);

  it('a job that waits is listed, counted, cancelled, put back and removed', async () => {
    const added = await run('jobs', 'add', 'tool', calculation('1'), '--delay', '1h', '--json');
    const { id } = added.json<Job>();
    const delayed = (await run('jobs', 'list', '--state', 'delayed', '--json')).json<Job[]>();
    expect(delayed.map((job) => job.id)).toEqual([id]);
    const shown = (await run('jobs', 'show', id, '--json')).out;
    expect(`${JSON.stringify(delayed)}${shown}`).not.toMatch(/"(seal|permissions|backoff)"/);
    expect((await run('jobs')).out).toContain(id);
    const counts = (await run('jobs', 'counts', '--json')).json<Record<string, JobCounts>>();
    expect(counts.default?.delayed).toBe(1);
    expect((await run('jobs', 'cancel', id)).code).toBe(0);
    const again = await run('jobs', 'cancel', id);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('cancelled')]);
    expect((await run('jobs', 'requeue', id)).code).toBe(0);
    expect((await run('jobs', 'remove', id)).code).toBe(0);
    expect((await run('jobs', 'show', id)).code).toBe(2);
  }, 120_000);

  it('a job that waits for a person says so, and goes on once its question is approved', async () => {
    writeFileSync(join(project.folder, 'old.txt'), 'old');
    const call = { tool: 'file_operations', input: { operation: 'delete', path: 'old.txt' } };
    const { id } = (await run('jobs', 'add', 'tool', JSON.stringify(call), '--json')).json<Job>();
    const waiting = await workUntil(id);
    const approvalId = (JSON.parse(waiting.out.trim()) as { approvalId: string }).approvalId;
    const shown = await run('jobs', 'show', id);
    expect(shown.out).toContain(`for a person, toolcrib approvals show ${approvalId}`);
    expect(shown.out).not.toContain('Due:');
    expect((await run('jobs', 'list')).out).toContain(`waits for a person: ${approvalId}`);
    const approved = await run('approvals', 'approve', approvalId, '--run');
    expect(approved.code).toBe(0);
    expect(approved.err).toContain('A job asked this; a worker goes on with it.');
    expect(approved.err).not.toContain('toolcrib run');
    await workUntil(id);
    expect((await run('jobs', 'show', id, '--json')).json<Job>().state).toBe('completed');
  }, 120_000);

  it('a schedule is made, listed and removed', async () => {
    const options = [
      '--cron',
      '30 4 * * *',
      '--time-zone',
      'Europe/Vienna',
      '--payload',
      calculation('1'),
    ];
    expect((await run('jobs', 'schedule', 'nightly', 'tool', ...options)).code).toBe(0);
    const [schedule] = (await run('jobs', 'schedules', '--json')).json<StoredSchedule[]>();
    expect(schedule).toMatchObject({ id: 'nightly', timeZone: 'Europe/Vienna' });
    expect(JSON.stringify(schedule)).not.toMatch(/"(seal|cadence|permissions|backoff)"/);
    expect((await run('jobs', 'unschedule', 'nightly')).code).toBe(0);
    expect((await run('jobs', 'unschedule', 'nightly')).code).toBe(2);
  }, 120_000);

  it('a job and a schedule of a misspelt tool are added with a warning', async () => {
    const payload = JSON.stringify({ tool: 'calculatr', input: {} });
    const { code, out, err } = await run('jobs', 'add', 'tool', payload, '--delay', '1h');
    expect([code, err]).toEqual([0, expect.stringContaining('did you mean calculator?')]);
    await run('jobs', 'remove', out.trim());
    const options = ['--cron', '@daily', '--payload', payload];
    const set = await run('jobs', 'schedule', 'typo', 'tool', ...options);
    expect([set.code, set.err]).toEqual([0, expect.stringContaining('did you mean calculator?')]);
    await run('jobs', 'unschedule', 'typo');
  }, 120_000);

  it.each([
    [['add', 'tol', '{}'], 'did you mean tool?'],
    [['add', 'tool', '{'], 'not valid JSON'],
    [['add', 'tool', '{}'], 'does not fit'],
    [['add', 'tool', '{}', '--retries', '101'], '--retries'],
    [['list', '--state', 'asleep'], '--state takes one of'],
    [['schedule', 'bad', 'tool', '--cron', 'soon', '--payload', calculation('1')], 'is not valid'],
  ])('%j is refused with the reason', async (args, message) => {
    const { code, out, err } = await run('jobs', ...args);
    expect([code === 0, out]).toEqual([false, '']);
    expect(err).toContain(message);
  });
});
