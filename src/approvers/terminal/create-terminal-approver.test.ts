import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../contract/approver.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { Timer } from '../../contract/runtime.ts';
import { createTerminalApprover } from './create-terminal-approver.ts';
import type { TerminalApproverOptions } from './terminal-dialog.ts';

const request: ApprovalRequest = {
  id: 'a1',
  caller: LOCAL_CALLER,
  tool: 'file_operations',
  version: '1.0.0',
  description: 'Works on files.',
  tier: 'write',
  action: 'delete',
  input: { path: 'notes\u202e.txt' },
  estimatedCost: 0,
  estimatedTime: undefined,
  effects: [],
  targets: [],
  reason: 'Destructive.',
  rule: 'confirm-delicate',
  definition: 'd1',
  rememberable: true,
  expiresAt: 10_000,
};

/** A terminal whose clock stands still: short waits end at once, the expiry only when told. */
const terminal = (over: Partial<TerminalApproverOptions> = {}) => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = '';
  output.on('data', (chunk) => {
    shown += String(chunk);
  });
  const expiries: (() => void)[] = [];
  const after = (ms: number, callback: () => void): Timer => {
    if (ms < 1000) setImmediate(callback);
    else expiries.push(callback);
    return { cancel: () => undefined, keepAlive: () => undefined };
  };
  const approver = createTerminalApprover({
    input,
    output,
    runtime: { now: () => 0, after },
    by: 'ada',
    ...over,
  });
  const waitFor = async (text: string, times = 1) => {
    while (shown.split(text).length <= times) await new Promise((go) => setImmediate(go));
  };
  return { input, approver, expiries, waitFor, shown: () => shown };
};

const live = () => new AbortController().signal;

describe('createTerminalApprover', () => {
  it.each([
    ['y', 'approve'],
    ['YES', 'approve'],
    ['n', 'deny'],
    ['', 'deny'],
    ['l', 'later'],
  ] as const)('%j means %s', async (typed, answer) => {
    const { input, approver, waitFor } = terminal();
    const decision = approver.ask(request, live());
    await waitFor('Approve this call?');
    input.write(`${typed}\n`);
    expect(await decision).toMatchObject({ answer, by: 'ada' });
  });

  it('shows the call with hostile characters written out', async () => {
    const { input, approver, waitFor, shown } = terminal();
    const decision = approver.ask(request, live());
    await waitFor('Approve this call?');
    input.write('n\n');
    await decision;
    expect(shown()).toContain('notes\\u202e.txt');
    expect(shown()).not.toContain('\u202e');
  });

  it('the end of the input is a no', async () => {
    const { input, approver, waitFor } = terminal();
    const decision = approver.ask(request, live());
    await waitFor('Approve this call?');
    input.end();
    expect((await decision).answer).toBe('deny');
  });

  it('a call cancelled before or during the question is denied', async () => {
    const first = terminal();
    const gone = AbortSignal.abort();
    expect((await first.approver.ask(request, gone)).answer).toBe('deny');
    const second = terminal();
    const controller = new AbortController();
    const decision = second.approver.ask(request, controller.signal);
    await second.waitFor('Approve this call?');
    controller.abort();
    expect((await decision).answer).toBe('deny');
  });

  it('silence until the request expires is a no', async () => {
    const { approver, waitFor, expiries } = terminal();
    const decision = approver.ask(request, live());
    await waitFor('Approve this call?');
    for (const expire of expiries) expire();
    expect((await decision).answer).toBe('deny');
  });

  it('says that the time is over when the signal aborts at the expiry', async () => {
    const { approver, waitFor, shown } = terminal();
    const controller = new AbortController();
    const decision = approver.ask({ ...request, expiresAt: 0 }, controller.signal);
    await waitFor('Approve this call?');
    controller.abort();
    expect((await decision).answer).toBe('deny');
    expect(shown()).toContain('No answer in time.');
  });

  it('ignores a yes that was typed before the question was shown', async () => {
    const { input, approver, waitFor } = terminal();
    input.write('y\n');
    const decision = approver.ask(request, live());
    await waitFor('Approve this call?');
    input.write('n\n');
    expect((await decision).answer).toBe('deny');
  });

  it('asks again after an unknown answer, and denies after the third', async () => {
    const { input, approver, waitFor } = terminal();
    const decision = approver.ask(request, live());
    for (const times of [1, 2, 3]) {
      await waitFor('Approve this call?', times);
      input.write('what?\n');
    }
    expect((await decision).answer).toBe('deny');
  });

  it('shows all of a huge input page by page, then asks again', async () => {
    const { input, approver, waitFor, shown } = terminal();
    const content = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n');
    const decision = approver.ask({ ...request, input: { content } }, live());
    await waitFor('Approve this call?');
    expect(shown()).toContain('not on this page');
    expect(shown()).not.toContain('line 40');
    input.write('v\n');
    for (const times of [1, 2, 3]) {
      await waitFor('Enter goes on', times);
      input.write('\n');
    }
    await waitFor('Approve this call?', 2);
    expect(shown()).toContain('line 40');
    input.write('y\n');
    expect((await decision).answer).toBe('approve');
  });

  it('q ends the pages, and the question is asked again', async () => {
    const { input, approver, waitFor, shown } = terminal();
    const content = Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n');
    const decision = approver.ask({ ...request, input: { content } }, live());
    await waitFor('Approve this call?');
    input.write('v\n');
    await waitFor('Enter goes on');
    input.write('q\n');
    await waitFor('Approve this call?', 2);
    expect(shown()).not.toContain('line 40');
    input.write('n\n');
    expect((await decision).answer).toBe('deny');
  });

  it('asks one question at a time', async () => {
    const { input, approver, waitFor, shown } = terminal();
    const first = approver.ask(request, live());
    const second = approver.ask({ ...request, tool: 'second_tool' }, live());
    await waitFor('Approve this call?');
    expect(shown()).not.toContain('second_tool');
    input.write('y\n');
    expect((await first).answer).toBe('approve');
    await waitFor('Approve this call?', 2);
    input.write('n\n');
    expect((await second).answer).toBe('deny');
  });

  it('a question that threw does not block the next one', async () => {
    let first = true;
    const { input, approver, waitFor } = terminal({
      onQuestion: () => {
        if (!first) return;
        first = false;
        throw new Error('the progress line is gone');
      },
    });
    await expect(approver.ask(request, live())).rejects.toThrow('gone');
    const second = approver.ask(request, live());
    await waitFor('Approve this call?');
    input.write('n\n');
    expect((await second).answer).toBe('deny');
  });

  it('without a terminal the call is left pending', async () => {
    const input = new PassThrough();
    const { approver, shown } = terminal({ input });
    expect((await approver.ask(request, live())).answer).toBe('later');
    expect(shown()).toBe('');
  });
});
