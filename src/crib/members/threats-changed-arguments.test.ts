/** The program changes an object in the line after it has handed it over: what was given counts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { StartFlowAs } from '../../contract/flow.ts';
import { createCribHost } from '../create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const open = async () => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-changed-arguments-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  const sent: string[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    tier: 'read_only',
    input: z.object({ text: z.string() }),
    run: ({ text }) => ({ text }),
  });
  const send = defineTool({
    name: 'send',
    description: 'Sends a text.',
    tier: 'external_api',
    input: z.object({ text: z.string() }),
    run: ({ text }) => sent.push(text),
  });
  const rules = [
    { name: 'ask', effect: 'ask' as const, tools: ['send'] },
    { name: 'all', effect: 'allow' as const, tools: ['*'] },
  ];
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    store: 'memory',
    builtins: false,
    tools: [look, send],
    policy: { version: 1, rules },
  });
  cleanup.push(() => crib.close());
  await crib.flows.registerData({
    name: 'mailing',
    version: '1.0.0',
    steps: [{ id: 'mail', call: 'send', input: { text: { from: 'input.text' } } }],
  });
  return { crib, sent };
};

class Letter {
  text = 'good';
}

/** How the program comes to change the input: at once, or some promises later. */
const MOMENTS = [0, 1, 3, 10, 30, 100];

const ticks = async (count: number): Promise<void> => {
  for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
};

describe.each([
  ['a plain object', () => ({ text: 'good' })],
  ['an object of a class', () => new Letter()],
])('a run whose plan was approved, and whose input is %s', (_name, makeInput) => {
  it.each(MOMENTS)(
    'threat: sends what was approved where the input is changed %i ticks after the start',
    async (moment) => {
      const { crib, sent } = await open();
      const { approvalId } = await crib.flows.requestApproval('mailing', makeInput());
      await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
      const input = makeInput();
      const starting = crib.flows.start('mailing', input, { planApproval: approvalId });
      await ticks(moment);
      input.text = 'evil';
      const { runId, finished } = await starting;
      expect(await finished).toMatchObject({ status: 'completed' });
      expect(sent).toEqual(['good']);
      expect((await crib.flows.get(runId))?.input).toEqual({ text: 'good' });
    },
  );

  it.each(MOMENTS)(
    'threat: runs what was planned where the input is changed %i ticks after the start with a digest',
    async (moment) => {
      const { crib } = await open();
      const { digest } = await crib.flows.plan('mailing', makeInput());
      const input = makeInput();
      const starting = crib.flows.start('mailing', input, { planDigest: digest });
      await ticks(moment);
      input.text = 'evil';
      const { runId } = await starting;
      expect((await crib.flows.get(runId))?.input).toEqual({ text: 'good' });
    },
  );
});

it('threat: an approval asks about the input that was given, and is used by its caller', async () => {
  const { crib, sent } = await open();
  const input = { text: 'good' };
  const as = { userId: 'bo', roles: ['agent'] };
  const asking = crib.flows.requestApproval('mailing', input, as);
  input.text = 'evil';
  as.userId = 'eve';
  const { approvalId } = await asking;
  const question = await crib.approvals.get(approvalId);
  expect(question?.userId).toBe('bo');
  expect(JSON.stringify(question)).not.toContain('evil');
  const answer = { approve: true, by: 'ada' };
  const deciding = crib.approvals.decide(approvalId, answer);
  answer.by = 'bo';
  await deciding;
  expect((await crib.approvals.get(approvalId))?.decidedBy).toBe('ada');
  const asBo = { userId: 'bo', roles: ['agent'], planApproval: approvalId };
  const { finished } = await crib.flows.start('mailing', { text: 'good' }, asBo);
  await finished;
  expect(sent).toEqual(['good']);
});

it('threat: a run, a job, a schedule, an event and a grant are stored as they were given', async () => {
  const { crib } = await open();
  crib.flows.register(
    defineFlow({ name: 'waiter', version: '1.0.0', run: (flow) => flow.waitForEvent('go') }),
  );
  const input = { text: 'good', list: ['good'] };
  const as: StartFlowAs & { roles: string[] } = { userId: 'bo', roles: ['agent'] };
  const payload = { tool: 'look', input };
  const schedule = { cron: '0 4 * * *', type: 'tool', payload, userId: 'bo' };
  const subject = { user: 'bo' };
  const granted = { resource: 'tool:look', actions: ['call'], by: 'ada', skipsApproval: false };
  const grant = { ...granted, subject };
  const starting = crib.flows.start('waiter', input, as);
  const adding = crib.jobs.enqueue('tool', payload, as);
  const scheduling = crib.jobs.schedule('nightly', schedule);
  const granting = crib.permissions.grant(grant);
  input.text = 'evil';
  input.list.push('evil');
  as.roles.push('admin');
  schedule.cron = '* * * * *';
  schedule.userId = 'eve';
  subject.user = 'eve';
  const good = { text: 'good', list: ['good'] };
  const { runId, finished } = await starting;
  expect(await crib.flows.get(runId)).toMatchObject({ input: good, caller: { roles: ['agent'] } });
  const event = { text: 'good' };
  const sending = crib.flows.send(runId, 'go', event);
  event.text = 'evil';
  await sending;
  expect(await finished).toMatchObject({ output: { text: 'good' } });
  expect(await crib.jobs.get(await adding)).toMatchObject({
    payload: { input: good },
    caller: { roles: ['agent'] },
  });
  expect(await scheduling).toMatchObject({
    cron: '0 4 * * *',
    job: { payload: { input: good }, caller: { userId: 'bo' } },
  });
  expect(await granting).toMatchObject({ subject: { user: 'bo' } });
});

describe('arguments that JSON cannot hold', () => {
  it('are refused as before: a circle, a payload without end, a field that throws', async () => {
    const { crib } = await open();
    const circle: Record<string, unknown> = {};
    Object.assign(circle, { circle });
    const thrower = {
      get text(): string {
        throw new Error('no');
      },
    };
    // 2 to the power of 40 values, made of 41 objects.
    let bomb: unknown = 1;
    for (let level = 0; level < 40; level += 1) bomb = [bomb, bomb];
    for (const input of [circle, thrower, bomb]) {
      const payload = { tool: 'look', input };
      await expect(crib.jobs.enqueue('tool', payload)).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });

  it('a date reaches a flow whose schema takes one', async () => {
    const { crib } = await open();
    crib.flows.register(
      defineFlow({
        name: 'dated',
        version: '1.0.0',
        input: z.object({ at: z.date() }),
        run: async (_flow, { at }) => at,
      }),
    );
    const { finished } = await crib.flows.start('dated', { at: new Date(0) });
    expect(await finished).toMatchObject({ output: '1970-01-01T00:00:00.000Z' });
  });
});
