import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import { type Askers, RunningCalls } from './running-calls.ts';

const asker: Askers = {
  elicit: async () => ({ action: 'decline' }),
  elicitUrl: undefined,
  sample: undefined,
};
const NO_ASKER: Askers = { elicit: undefined, elicitUrl: undefined, sample: undefined };
const caller = (sessionId: string, userId = 'ada') => ({ userId, agentId: 'agent', sessionId });

const MAX_CALL_MS = 1_800_000;
let now = 0;
const newCalls = () => new RunningCalls({ elapsed: () => now, maxCallMs: MAX_CALL_MS });

describe('a question without a link belongs to', () => {
  it('the only call that runs, whoever made it', () => {
    const calls = newCalls();
    const call = calls.add(asker, LOCAL_CALLER);
    expect(calls.askedBy(undefined, 'elicit')).toBe(call);
    calls.delete(call);
    expect([calls.size, calls.askedBy(undefined, 'elicit')]).toEqual([0, undefined]);
  });

  it('each call of one session in turn, and only those that can ask', () => {
    const calls = newCalls();
    calls.add(NO_ASKER, caller('one'));
    const [first, second] = [calls.add(asker, caller('one')), calls.add(asker, caller('one'))];
    const asked = [1, 2, 3, 4].map(() => calls.askedBy(undefined, 'elicit'));
    expect(asked).toEqual([first, second, first, second]);
  });

  it.each([
    ['sessions', caller('one'), caller('two')],
    ['users', caller('one', 'ada'), caller('one', 'bob')],
    ['identities', caller('one'), { ...caller('one'), authenticated: caller('other') }],
    ['persons behind a session that nobody named', LOCAL_CALLER, LOCAL_CALLER],
  ])('threat: no call while those of different %s run', (_, one, two) => {
    const calls = newCalls();
    calls.add(asker, one);
    calls.add(asker, two);
    expect(calls.askedBy(undefined, 'elicit')).toBeUndefined();
  });
});

describe('a question with a link belongs to', () => {
  it('the linked call, whatever else runs', () => {
    const calls = newCalls();
    const [one, two] = [calls.add(asker, caller('one')), calls.add(asker, caller('two'))];
    expect(calls.askedBy(two.key, 'elicit')).toBe(two);
    expect(calls.askedBy(one.key, 'elicit')).toBe(one);
  });

  it('threat: no call when the link is made up or its call is over', () => {
    const calls = newCalls();
    const over = calls.add(asker, caller('one'));
    const { key } = over;
    calls.delete(over);
    calls.add(asker, caller('one'));
    expect([calls.askedBy(key, 'elicit'), calls.askedBy('x', 'elicit')]).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a call that the server has not answered', () => {
  const failed = (error: Error) => Promise.reject<never>(error);
  const cancelled = () => failed(new Error('cancelled'));
  const answered = () => failed(Object.assign(new Error('no'), { name: 'ProtocolError' }));

  const afterCallOf = async (sessionId: string, answer: () => Promise<unknown>) => {
    const calls = newCalls();
    await calls.settle(calls.add(asker, caller(sessionId)), answer()).catch(() => undefined);
    return calls;
  };

  it('threat: its late question reaches nobody of another session', async () => {
    const calls = await afterCallOf('one', cancelled);
    calls.add(asker, caller('two'));
    expect([calls.askedBy(undefined, 'elicit'), calls.size]).toEqual([undefined, 2]);
  });

  it('threat: nor does that of a request that cannot ask', () => {
    const calls = newCalls();
    calls.add(asker, caller('one'));
    const silent = calls.addSilent();
    expect(calls.askedBy(undefined, 'elicit')).toBeUndefined();
    expect(calls.askedBy(silent.key, 'elicit')?.askers.elicit).toBeUndefined();
  });

  it('leaves the questions of its own session alone', async () => {
    const calls = await afterCallOf('one', cancelled);
    expect(calls.askedBy(undefined, 'elicit')).toBeUndefined();
    const next = calls.add(asker, caller('one'));
    expect(calls.askedBy(undefined, 'elicit')).toBe(next);
  });

  it.each([
    ['was answered', async () => 'done'],
    ['was answered with an error', answered],
  ])('is forgotten when it %s', async (_, answer) => {
    const calls = await afterCallOf('one', answer);
    const next = calls.add(asker, caller('two'));
    expect(calls.askedBy(undefined, 'elicit')).toBe(next);
  });

  it('is forgotten when it could not run any more', async () => {
    const calls = await afterCallOf('one', cancelled);
    now += MAX_CALL_MS;
    const next = calls.add(asker, caller('two'));
    expect(calls.askedBy(undefined, 'elicit')).toBe(next);
  });
});
