/** The answers beyond yes and no: for the session, by pattern, and with another input. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../contract/approver.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { createTerminalApprover } from './create-terminal-approver.ts';
import type { ReadInput, TerminalApproverOptions } from './terminal-dialog.ts';

const request: ApprovalRequest = {
  id: 'a1',
  caller: LOCAL_CALLER,
  tool: 'file_operations',
  version: '1.0.0',
  description: 'Works on files.',
  tier: 'write',
  action: 'delete',
  input: { path: 'a.txt' },
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

const CONDITION = 'input.path == "a.txt" && size(input) == 1';

const readInput = (text: string): ReadInput => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { fault: 'line 1, column 2: a name is expected\u001b[2K' };
  }
};

const checkCondition = async (condition: string): Promise<string | undefined> =>
  condition.includes('bad') ? 'At character 1: unknown name\u202e' : undefined;

/** Answers each question as it appears; `[question, answer]` in order. */
const converse = async (
  steps: readonly (readonly [string, string])[],
  over: Partial<ApprovalRequest> = {},
  options: Partial<TerminalApproverOptions> = { readInput, checkCondition },
) => {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let shown = '';
  output.on('data', (chunk) => {
    shown += String(chunk);
  });
  const approver = createTerminalApprover({
    input,
    output,
    runtime: {
      now: () => 0,
      after: (ms, callback) => {
        if (ms < 1000) setImmediate(callback);
        return { cancel: () => undefined, keepAlive: () => undefined };
      },
    },
    by: 'ada',
    ...options,
  });
  let decided = false;
  const decision = approver
    .ask({ ...request, ...over }, new AbortController().signal)
    .finally(() => {
      decided = true;
    });
  let from = 0;
  for (const [prompt, typed] of steps) {
    while (!shown.slice(from).includes(prompt)) {
      if (decided) throw new Error(`It was over before "${prompt}":\n${shown}`);
      await new Promise((go) => setImmediate(go));
    }
    from = shown.indexOf(prompt, from) + prompt.length;
    input.write(typed);
  }
  return { decision: await decision, shown };
};

const ASK = 'Approve this call?';

describe('allow for this session', () => {
  it('approves and remembers', async () => {
    const { decision, shown } = await converse([[ASK, 's\n']]);
    expect(decision).toEqual({ answer: 'approve', by: 'ada', remember: { scope: 'session' } });
    expect(shown).toContain('runs unasked in session local, for a day at most');
    expect(shown).toContain('permissions list');
  });

  it('a hostile name of the session is written out', async () => {
    const caller = { ...LOCAL_CALLER, sessionId: 's\u001b[2J\n  Denied.' };
    const { shown } = await converse([[ASK, 's\n']], { caller });
    expect(shown).not.toContain('\u001b');
    expect(shown).not.toMatch(/^ {2}Denied\./m);
  });

  it.each(['s', 'p'])('%s is not offered, and refused, when asked every time', async (letter) => {
    const { decision, shown } = await converse(
      [
        [ASK, `${letter}\n`],
        [ASK, `${letter}\n`],
        [ASK, `${letter}\n`],
      ],
      { rememberable: false },
    );
    expect(decision).toEqual({ answer: 'deny', by: 'ada' });
    expect(shown).not.toContain('s = yes');
    expect(shown).toContain('asked every time');
  });
});

describe('always allow this pattern', () => {
  it('Enter takes the proposal, which is approved in a second question', async () => {
    const { decision, shown } = await converse([
      [ASK, 'p\n'],
      ['Enter = take it', '\n'],
      ['always allow that?', 'y\n'],
    ]);
    const remember = { scope: 'pattern', condition: CONDITION };
    expect(decision).toEqual({ answer: 'approve', by: 'ada', remember });
    expect(shown).toContain(CONDITION);
    expect(shown).toContain('for user local with agent local, in every session');
    expect(shown).toContain('file_operations, action delete');
  });

  it('a condition that the person types replaces the proposal', async () => {
    const { decision } = await converse([
      [ASK, 'p\n'],
      ['Enter = take it', 'input.path.startsWith("tmp/")\n'],
      ['always allow that?', 'y\n'],
    ]);
    expect(decision.remember).toEqual({
      scope: 'pattern',
      condition: 'input.path.startsWith("tmp/")',
    });
  });

  it('a condition that cannot be used is refused with the reason, and nothing is granted', async () => {
    const { decision, shown } = await converse([
      [ASK, 'p\n'],
      ['Enter = take it', 'bad\n'],
      ['Enter = take it', 'bad\n'],
      ['Enter = take it', 'bad\n'],
      [ASK, 'n\n'],
    ]);
    expect(decision).toEqual({ answer: 'deny', by: 'ada' });
    expect(shown).toContain('unknown name\\u202e');
    expect(shown).not.toContain('\u202e');
  });

  it.each([
    ['no', 'n\n'],
    ['an empty line', '\n'],
    ['nonsense', 'maybe\n'],
  ])('%s to the second question leads back to the first', async (_, typed) => {
    const { decision } = await converse([
      [ASK, 'p\n'],
      ['Enter = take it', '\n'],
      ['always allow that?', typed],
      [ASK, 'n\n'],
    ]);
    expect(decision).toEqual({ answer: 'deny', by: 'ada' });
  });

  it('a yes typed ahead of the second question does not count', async () => {
    const { decision } = await converse([
      [ASK, 'p\n'],
      ['Enter = take it', '\ny\n'],
      ['always allow that?', 'n\n'],
      [ASK, 'n\n'],
    ]);
    expect(decision.answer).toBe('deny');
  });

  it('q goes back; an input without a proposal asks for a condition', async () => {
    const back = await converse([
      [ASK, 'p\n'],
      ['Enter = take it', 'q\n'],
      [ASK, 'y\n'],
    ]);
    expect(back.decision).toEqual({ answer: 'approve', by: 'ada' });
    const long = await converse(
      [
        [ASK, 'p\n'],
        ['Type a condition', '\n'],
        [ASK, 'n\n'],
      ],
      { input: { path: 'x'.repeat(3000) } },
    );
    expect(long.decision.answer).toBe('deny');
  });

  it('names the tool alone when it has one action, and works without a checker', async () => {
    const { decision, shown } = await converse(
      [
        [ASK, 'p\n'],
        ['Enter = take it', '\n'],
        ['always allow that?', 'yes\n'],
      ],
      { action: 'file_operations' },
      {},
    );
    expect(decision.answer).toBe('approve');
    expect(shown).not.toContain('action file_operations,');
    expect(shown).not.toContain('e = edit');
  });
});

describe('edit, then approve', () => {
  it('takes JSON over several lines, shows the difference, and asks again', async () => {
    const { decision, shown } = await converse([
      [ASK, 'e\n'],
      ['new input', '{\n'],
      ['… >', '  "path": "b.txt"\n'],
      ['… >', '}\n'],
      ['… >', '\n'],
      ['with this input instead', 'y\n'],
    ]);
    expect(decision).toEqual({ answer: 'approve', by: 'ada', input: { path: 'b.txt' } });
    expect(shown).toContain('"path": "a.txt"');
    expect(shown).toContain('- path: "a.txt"');
    expect(shown).toContain('+ path: "b.txt"');
    expect(shown).toContain('Approved with the new input');
  });

  it('says what is wrong with the JSON and asks again', async () => {
    const { decision, shown } = await converse([
      [ASK, 'e\n'],
      ['new input', '{path}\n\n'],
      ['new input', '{"path":"b.txt"}\n\n'],
      ['with this input instead', 'y\n'],
    ]);
    expect(decision.input).toEqual({ path: 'b.txt' });
    expect(shown).toContain('line 1, column 2: a name is expected␛[2K');
  });

  it('three broken texts, nothing, and the same input lead back to the question', async () => {
    const { decision, shown } = await converse([
      [ASK, 'e\n'],
      ['new input', '{\n\n'],
      ['new input', '{\n\n'],
      ['new input', '{\n\n'],
      [ASK, 'e\n'],
      ['new input', '\n'],
      [ASK, 'e\n'],
      ['new input', '{"path":"a.txt"}\n\n'],
      [ASK, 'n\n'],
    ]);
    expect(decision).toEqual({ answer: 'deny', by: 'ada' });
    expect(shown).toContain('the same input');
  });

  it('what is pasted after an empty line is no answer', async () => {
    const { decision } = await converse([
      [ASK, 'e\n'],
      ['new input', '{"path":"b.txt"}\n\ny\n'],
      ['with this input instead', 'n\n'],
      [ASK, 'n\n'],
    ]);
    expect(decision).toEqual({ answer: 'deny', by: 'ada' });
  });

  it('is not offered where nothing can read the input', async () => {
    const { decision, shown } = await converse(
      [
        [ASK, 'e\n'],
        [ASK, 'n\n'],
      ],
      {},
      {},
    );
    expect(decision.answer).toBe('deny');
    expect(shown).toContain('one of the letters');
  });

  it('the end of the input is a no, in the middle of every question', async () => {
    for (const steps of [['e\n'], ['p\n']]) {
      const input = Object.assign(new PassThrough(), { isTTY: true });
      const output = Object.assign(new PassThrough(), { isTTY: true });
      output.resume();
      const decision = createTerminalApprover({
        input,
        output,
        by: 'ada',
        readInput,
        settleMs: 0,
        runtime: {
          now: () => 0,
          after: (ms, callback) => {
            if (ms < 1000) setImmediate(callback);
            return { cancel: () => undefined, keepAlive: () => undefined };
          },
        },
      }).ask({ ...request, input: undefined }, new AbortController().signal);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((go) => setImmediate(go));
      input.end(steps.join(''));
      expect((await decision).answer).toBe('deny');
    }
  });
});
