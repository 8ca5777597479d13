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

describe('a question without a link belongs to', () => {
  it('the only call that runs, whoever made it', () => {
    const calls = new RunningCalls();
    const call = calls.add(asker, LOCAL_CALLER);
    expect(calls.askedBy(undefined, 'elicit')).toBe(call);
    calls.delete(call);
    expect([calls.size, calls.askedBy(undefined, 'elicit')]).toEqual([0, undefined]);
  });

  it('each call of one session in turn, and only those that can ask', () => {
    const calls = new RunningCalls();
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
    const calls = new RunningCalls();
    calls.add(asker, one);
    calls.add(asker, two);
    expect(calls.askedBy(undefined, 'elicit')).toBeUndefined();
  });
});

describe('a question with a link belongs to', () => {
  it('the linked call, whatever else runs', () => {
    const calls = new RunningCalls();
    const [one, two] = [calls.add(asker, caller('one')), calls.add(asker, caller('two'))];
    expect(calls.askedBy(two.key, 'elicit')).toBe(two);
    expect(calls.askedBy(one.key, 'elicit')).toBe(one);
  });

  it('threat: no call when the link is made up or its call is over', () => {
    const calls = new RunningCalls();
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
