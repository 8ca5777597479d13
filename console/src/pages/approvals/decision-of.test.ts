import { describe, expect, it } from 'vitest';
import { stateAt } from './approval-state.ts';
import { decisionOf, NEW_DRAFT } from './decision-of.ts';

describe('a decision', () => {
  it('says no more than yes or no when nothing was filled in', () => {
    expect(decisionOf(true, NEW_DRAFT)).toEqual({ approve: true });
    expect(decisionOf(false, NEW_DRAFT)).toEqual({ approve: false });
  });

  it('carries the note, the edited input and what is remembered', () => {
    const draft = { note: ' fine ', remember: 'pattern', condition: ' a == 1 ' } as const;
    expect(decisionOf(true, { ...draft, edited: { input: { a: 1 } } })).toEqual({
      approve: true,
      note: 'fine',
      input: { a: 1 },
      remember: { scope: 'pattern', condition: 'a == 1' },
    });
    expect(decisionOf(true, { ...NEW_DRAFT, remember: 'session' }).remember).toEqual({
      scope: 'session',
    });
  });

  it('threat: a refusal grants nothing, whatever was chosen before', () => {
    const draft = {
      note: 'no',
      remember: 'session',
      condition: '',
      edited: { input: {} },
    } as const;
    expect(decisionOf(false, draft)).toEqual({ approve: false, note: 'no' });
  });
});

describe('how a question stands', () => {
  it('has expired once its time is over, unless it was decided for good', () => {
    expect(stateAt({ state: 'waiting', expiresAt: 10 }, 9)).toBe('waiting');
    expect(stateAt({ state: 'waiting', expiresAt: 10 }, 10)).toBe('expired');
    expect(stateAt({ state: 'approved', expiresAt: 10 }, 11)).toBe('expired');
    expect(stateAt({ state: 'denied', expiresAt: 10 }, 11)).toBe('denied');
    expect(stateAt({ state: 'used', expiresAt: 10 }, 11)).toBe('used');
  });
});
