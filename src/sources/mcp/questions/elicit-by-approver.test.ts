import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../../test/fixtures/fake-runtime.ts';
import type { Decision } from '../../../contract/approver.ts';
import { elicitByApprover } from './elicit-by-approver.ts';

const question = {
  server: 'odd',
  message: 'Who is it?',
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, loud: { type: 'boolean', default: false } },
    required: ['name'],
  },
};

const answer = (decision: Partial<Decision>) => {
  const ask = async () => ({ answer: 'deny', by: 'me', ...decision }) as Decision;
  return elicitByApprover({ ask }, fakeRuntime())(question, new AbortController().signal);
};

describe('a question of a server', () => {
  it('is answered with what the person wrote, and with nothing that was not asked for', async () => {
    const input = { name: 'me', other: 'x' };
    expect(await answer({ answer: 'approve', input })).toEqual({
      action: 'accept',
      content: { name: 'me' },
    });
  });

  it('a yes without what has to be there is no answer', async () => {
    expect(await answer({ answer: 'approve' })).toEqual({ action: 'cancel' });
    expect(await answer({ answer: 'approve', input: { name: { a: 1 } } })).toEqual({
      action: 'cancel',
    });
  });

  it('a no is a no, and later is no answer', async () => {
    expect(await answer({ answer: 'deny' })).toEqual({ action: 'decline' });
    expect(await answer({ answer: 'later' })).toEqual({ action: 'cancel' });
  });
});
