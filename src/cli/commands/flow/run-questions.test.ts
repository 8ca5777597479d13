import { PassThrough } from 'node:stream';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRecord, Approver } from '../../../contract/approver.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Io } from '../../io.ts';
import { RunQuestions, stepsAskLater } from './run-questions.ts';

const recordOf = (parts: Partial<ApprovalRecord> = {}): ApprovalRecord =>
  ({
    id: 'a',
    state: 'waiting',
    expiresAt: 1000,
    request: { id: 'a' },
    ...parts,
  }) as ApprovalRecord;

const opened = (person: Approver, decide: (answer: ApprovalAnswer) => boolean = () => true) => {
  const timers: (() => void)[] = [];
  const answers: ApprovalAnswer[] = [];
  let record = recordOf();
  let read = async (): Promise<ApprovalRecord | undefined> => record;
  const approvals = {
    get: () => read(),
    decide: async (_id: string, answer: ApprovalAnswer) => {
      answers.push(answer);
      return decide(answer);
    },
  };
  const runtime = {
    now: () => 0,
    after: (_ms: number, callback: () => void) => {
      timers.push(callback);
      return { cancel: () => undefined, keepAlive: () => undefined };
    },
  };
  const io = { stderr: new PassThrough(), noteInk: pc.createColors(false), runtime };
  const crib = { approvals } as unknown as CribHost;
  const questions = new RunQuestions(io as unknown as Io, { crib, person });
  return {
    questions,
    answers,
    timers,
    answerElsewhere: () => {
      record = recordOf({ state: 'approved' });
    },
    readBy: (get: typeof read) => {
      read = get;
    },
  };
};

/** Looks at the question until the signal fires, and takes that for a no, as the terminal does. */
const lookingOn = (): Approver => ({
  ask: (_request, signal) =>
    new Promise((resolve) => {
      const deny = (): void => resolve({ answer: 'deny', by: 'ada' });
      signal.addEventListener('abort', deny, { once: true });
    }),
});

const STAYS = new AbortController().signal;

describe('the questions of a run that a person follows', () => {
  it('leave the terminal once they are answered elsewhere, and nobody has said no', async () => {
    const { questions, answers, timers, answerElsewhere } = opened(lookingOn());
    const asked = questions.ask(['a'], STAYS);
    await expect.poll(() => timers.length).toBe(1);
    timers[0]?.();
    await expect.poll(() => timers.length).toBe(2);
    answerElsewhere();
    timers[1]?.();
    await asked;
    expect(answers).toEqual([]);
  });

  it('are not denied by a person who leaves', async () => {
    const { questions, answers, timers } = opened(lookingOn());
    const left = new AbortController();
    const asked = questions.ask(['a'], left.signal);
    await expect.poll(() => timers.length).toBe(1);
    left.abort();
    await asked;
    expect(answers).toEqual([]);
  });

  it('are not looked at any more by a look that fails once the person has left', async () => {
    const { questions, timers, readBy } = opened(lookingOn());
    const left = new AbortController();
    const asked = questions.ask(['a'], left.signal);
    await expect.poll(() => timers.length).toBe(1);
    let fail = (_error: Error): void => undefined;
    readBy(
      () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
    );
    timers[0]?.();
    left.abort();
    await asked;
    fail(new Error('closed'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers).toHaveLength(1);
  });

  it('are not looked at any more once the terminal has failed', async () => {
    const { questions, timers } = opened({ ask: () => Promise.reject(new Error('no terminal')) });
    await expect(questions.ask(['a'], STAYS)).rejects.toThrow('no terminal');
    timers[0]?.();
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers).toHaveLength(1);
  });

  it('are asked once each when the person puts them off', async () => {
    let count = 0;
    const later: Approver = {
      ask: async () => {
        count += 1;
        return { answer: 'later', by: 'ada' };
      },
    };
    const { questions, answers } = opened(later);
    await questions.ask(['a'], STAYS);
    await questions.ask(['a'], STAYS);
    expect([count, answers]).toEqual([1, []]);
  });

  it('are denied by an approval that cannot be carried out as given', async () => {
    const yes: Approver = { ask: async () => ({ answer: 'approve', by: 'ada', input: 7 }) };
    const { questions, answers } = opened(yes, ({ approve }) => {
      if (approve) throw new ToolFailure('VALIDATION_ERROR', 'No such input.');
      return true;
    });
    await questions.ask(['a'], STAYS);
    expect(answers.map(({ approve }) => approve)).toEqual([true, false]);
  });
});

describe('the approver of the calls of a run', () => {
  it.each([
    ['a step waits with its question on record', { step: 'flow:1:a' }, 'later'],
    ['the call of a tool asks at once', { within: 'sequence' }, 'approve'],
    ['a call that is no step asks at once', {}, 'approve'],
  ] as const)('%s', async (_case, parts, answer) => {
    const yes: Approver = { ask: async () => ({ answer: 'approve', by: 'ada' }) };
    const approver = stepsAskLater(yes, async () => recordOf(parts));
    expect((await approver.ask(recordOf().request, STAYS)).answer).toBe(answer);
  });
});
