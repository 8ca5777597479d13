import { afterEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { aTool, type TestCrib, testCrib } from '../../../../test/fixtures/test-crib.ts';
import type { ApprovalRecord } from '../../../contract/approver.ts';
import { type AnswerOptions, approvingAnswer } from './approval-answer.ts';
import { assertAwaited, continuationOf, resumeCommand } from './waiting-approval.ts';

let crib: TestCrib | undefined;
afterEach(() => crib?.close());

const waiting = async (over: Partial<ApprovalRecord['request']> = {}) => {
  crib = await testCrib([
    aTool({
      name: 'runner',
      tier: 'execute',
      input: {
        type: 'object',
        properties: { text: { type: 'string' } },
        required: ['text'],
      },
    }),
  ]);
  await crib.execute('runner', { text: "it's so" });
  const [record] = await crib.approvals.list();
  if (!record) throw new Error('nothing waits');
  return { crib, record: { ...record, request: { ...record.request, ...over } } };
};

const answer = async (
  options: AnswerOptions,
  over: Partial<ApprovalRecord['request']> = {},
  input = '',
) => {
  const { io } = fakeIo();
  const stdin = Object.assign(io.stdin, { fd: -1 });
  (stdin as unknown as NodeJS.WritableStream).end(input);
  return approvingAnswer(io, await waiting(over), options);
};

describe('approvingAnswer', () => {
  it('approves the one call without options', async () => {
    const said = await answer({});
    expect(Object.keys(said)).toEqual(['approve', 'by']);
    expect(said.approve).toBe(true);
  });

  it('takes a note, a session, a pattern and its expiry', async () => {
    expect(await answer({ session: true, note: 'fine' })).toMatchObject({
      note: 'fine',
      remember: { scope: 'session' },
    });
    expect((await answer({ pattern: 'true' })).remember).toEqual({
      scope: 'pattern',
      condition: 'true',
    });
    expect((await answer({ pattern: 'true', expires: '2999-01-01' })).remember).toEqual({
      scope: 'pattern',
      condition: 'true',
      expiresAt: Date.UTC(2999, 0, 1),
    });
  });

  it.each([
    [{ session: true, pattern: 'true' }, 'one of --session and --pattern'],
    [{ expires: '7d' }, '--expires goes with --pattern'],
    [{ pattern: 'true', expires: 'soon' }, '--expires takes a date'],
    [{ input: '{"text": }' }, 'not valid JSON: at line 1, column 10'],
    [{ input: '{}' }, 'does not match the schema'],
    [{ input: '-' }, 'The new input is empty'],
    [{ input: '@/does/not/exist.json' }, 'The input file does not exist'],
  ])('%j is refused: %s', async (options, message) => {
    await expect(answer(options)).rejects.toThrow(message);
  });

  it.each([{ session: true }, { pattern: 'true' }])(
    'what is asked every time cannot be remembered: %j',
    async (options) => {
      await expect(answer(options, { rememberable: false })).rejects.toThrow('asked every time');
    },
  );

  it('takes another input as JSON or from stdin', async () => {
    const input = { text: 'ls' };
    expect((await answer({ input: '{"text":"ls"}' })).input).toEqual(input);
    expect((await answer({ input: '-' }, {}, '{"text":"ls"}')).input).toEqual(input);
  });

  it('an edited input that a rule denies leaves the approval waiting', async () => {
    const { crib: open, record } = await waiting();
    const denying = Object.assign(Object.create(open) as TestCrib, {
      explain: async () => ({
        verdict: { effect: 'deny' as const, rule: 'no', reason: 'Never.' },
        considered: [],
      }),
    });
    const given = { crib: denying, record };
    await expect(approvingAnswer(fakeIo().io, given, { input: '{"text":"rm"}' })).rejects.toThrow(
      'Never. (rule no)',
    );
  });
});

describe('resumeCommand', () => {
  it('repeats the call of the same caller, safe to paste', async () => {
    const { crib: open, record } = await waiting();
    const plain = resumeCommand(record, open.tools);
    expect(plain).toContain(`toolcrib run runner '{"text":"it'\\''s so`);
    expect(plain).toContain(`--approval ${record.id}`);
    expect(plain).not.toContain('--user');
    const { request } = record;
    const caller = { ...request.caller, userId: 'ada', roles: [] };
    const other = { ...record, request: { ...request, caller, version: '0.9.0' } };
    expect(resumeCommand(other, open.tools)).toContain('--version 0.9.0 --user ada');
  });
});

describe('continuationOf', () => {
  it('names the run that waits for the answer, and not the call: made alone it would happen beside the run', async () => {
    const { crib: open, record } = await waiting();
    const run = { id: 'run 7', waitsFor: [`approval:${record.id}`] };
    const flows = { list: async () => [run] } as unknown as TestCrib['flows'];
    const continuation = await continuationOf(record, {
      tools: open.tools,
      jobs: open.jobs,
      flows,
    });
    expect(continuation).toEqual({ command: "toolcrib flow resume 'run 7'", by: 'run' });
  });

  it('starts a run with the approval of a plan', async () => {
    const { crib: open, record } = await waiting();
    const input = { flow: 'mailing', version: '1.0.0', input: { to: ["it's"] }, calls: [] };
    const plan = { ...record, tool: 'toolcrib:plan', request: { ...record.request, input } };
    expect(await continuationOf(plan, open)).toEqual({
      command: `toolcrib flow run mailing --version 1.0.0 --input '{"to":["it'\\''s"]}' --plan ${record.id}`,
      by: 'plan',
    });
  });

  it('names the run of a question while its other steps are worked on, and refuses one that is over', async () => {
    const { crib: open, record } = await waiting({ input: { flow: 'save', runId: 'run-7' } });
    const question = { ...record, tool: 'toolcrib:confirm' };
    const withRun = (run: unknown) => ({
      tools: open.tools,
      jobs: open.jobs,
      flows: { get: async () => run, list: async () => [] } as unknown as TestCrib['flows'],
    });
    expect(await continuationOf(question, withRun({ status: 'running' }))).toEqual({
      command: 'toolcrib flow resume run-7',
      by: 'run',
    });
    for (const run of [{ status: 'failed' }, undefined]) {
      await expect(assertAwaited(question, withRun(run))).rejects.toThrow('no answer changes it');
    }
  });

  it('names a blocked run whose open call the approval is for', async () => {
    const { crib: open, record } = await waiting();
    const flows = {
      list: async ({ status }: { status: string }) =>
        status === 'blocked' ? [{ id: 'run-8', waitsFor: ['seal'] }] : [],
      steps: async () => [{ state: 'open', approvalId: record.id }],
    } as unknown as TestCrib['flows'];
    expect(await continuationOf(record, { tools: open.tools, jobs: open.jobs, flows })).toEqual({
      command: 'toolcrib flow resume run-8',
      by: 'run',
    });
  });

  it('leaves a call of a job to a worker: only the job can use the answer', async () => {
    const { crib: open, record } = await waiting();
    const question = { ...record, step: 'job:job-7:runner:1' };
    const withJob = (state: string | undefined) => ({
      ...{ tools: open.tools, flows: open.flows },
      jobs: { get: async () => state && { id: 'job-7', state } } as unknown as TestCrib['jobs'],
    });
    expect(await continuationOf(question, withJob('delayed'))).toEqual({
      ...{ command: 'toolcrib worker', by: 'job' },
    });
    expect(await continuationOf(question, withJob('dead'))).toEqual({
      ...{ command: 'toolcrib jobs requeue job-7', by: 'stoppedJob' },
    });
    await expect(assertAwaited(question, withJob('delayed'))).resolves.toBeUndefined();
    for (const state of ['completed', undefined]) {
      await expect(assertAwaited(question, withJob(state))).rejects.toThrow(
        'The job job-7 that asked',
      );
    }
  });

  it('repeats a call that no run waits for', async () => {
    const { crib: open, record } = await waiting();
    const { command, by } = await continuationOf(record, open);
    expect([command, by]).toEqual([resumeCommand(record, open.tools), 'call']);
  });
});
