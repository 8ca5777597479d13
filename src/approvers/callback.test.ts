import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../contract/approver.ts';
import { createCallbackApprover } from './callback.ts';

const request = { id: 'a1', tool: 't', input: { path: 'a.txt' } } as unknown as ApprovalRequest;
const live = () => new AbortController().signal;

describe('createCallbackApprover', () => {
  it.each([
    ['true', true, 'approve'],
    ['a promise of true', Promise.resolve(true), 'approve'],
    ['false', false, 'deny'],
    ['nothing', undefined, 'deny'],
    ['a truthy text', 'yes', 'deny'],
    ['an object', {}, 'deny'],
  ])('%s is answered with %s', async (_, answer, decided) => {
    const approver = createCallbackApprover(() => answer as boolean);
    expect(await approver.ask(request, live())).toEqual({ answer: decided, by: 'callback' });
  });

  it('gets the exact request; a callback that throws approves nothing', async () => {
    const seen: ApprovalRequest[] = [];
    const approver = createCallbackApprover((given) => {
      seen.push(given);
      throw new Error('no');
    });
    await expect(approver.ask(request, live())).rejects.toThrow('no');
    expect(seen).toEqual([request]);
  });
});
