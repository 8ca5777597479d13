/** The answer of a person that a call of a job has not used yet is brought by the next attempt. */
import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../contract/caller.ts';
import { type ErrorCode, type ErrorExtras, toolError } from '../contract/errors.ts';
import type { Job } from '../contract/queue.ts';
import type { ToolResult } from '../contract/result.ts';
import { type JobCallDeps, JobCalls } from './job-calls.ts';

const NOW = 1_000;
const job = { id: 'job-1', type: 'tool', caller: LOCAL_CALLER } as Job;
const PENDING = { status: 'pending', approval: { approvalId: 'q1', expiresAt: NOW + 1 } };
const failure = (code: ErrorCode, extras: ErrorExtras = {}) => ({
  status: 'failure',
  error: toolError(code, 'no', extras),
  metadata: { toolName: 'send' },
});

/** Makes attempts at a job whose call ends as told; returns the approval that each attempt brought. */
const attempts = async (
  results: readonly object[],
  state: 'approved' | 'denied' | 'used',
): Promise<readonly (string | undefined)[]> => {
  const brought: (string | undefined)[] = [];
  const space = new Map<string, unknown>();
  const deps = {
    runtime: { now: () => NOW },
    tools: { get: () => undefined },
    execute: async (_tool: string, _input: unknown, as: { approvalId?: string }) => {
      brought.push(as.approvalId);
      return results[brought.length - 1] as ToolResult;
    },
    approval: async () => ({ state, decidedBy: 'ada' }),
    memory: {
      read: async (_space: string, key: string) => space.get(key),
      write: async ({ key, value }: { key: string; value: unknown }) => void space.set(key, value),
      delete: async (_space: string, key: string) => space.delete(key),
    },
  } as unknown as JobCallDeps;
  for (const _ of results) {
    const calls = new JobCalls(job, new AbortController().signal, deps);
    await calls.call('send', {}).catch(() => undefined);
  }
  return brought;
};

const DONE = { status: 'success', data: 1 };

describe('the answer to the question of a job', () => {
  it.each([
    ['the call was refused by a limit', failure('RATE_LIMITED'), 'approved'],
    ['the store was away', failure('STORE_UNAVAILABLE'), 'approved'],
    ['the budget did not cover the call', failure('BUDGET_EXCEEDED'), 'approved'],
    [
      'another worker still held the key',
      failure('CONFLICT', { retryable: true, keyHeld: true }),
      'used',
    ],
    ['a limit came before a no', failure('RATE_LIMITED'), 'denied'],
  ] as const)('is brought again where %s', async (_, result, state) => {
    expect(await attempts([PENDING, result, DONE], state)).toEqual([undefined, 'q1', 'q1']);
  });

  it.each([
    ['the call has used it and failed', failure('NETWORK'), 'used'],
    ['the answer does not fit the call any more', failure('APPROVAL_EXPIRED'), 'approved'],
    ['it was a no', failure('USER_CANCELLED'), 'denied'],
    ['nobody knows what the call did', failure('CONFLICT', { inDoubt: 'x' }), 'used'],
  ] as const)('is not brought again where %s', async (_, result, state) => {
    expect(await attempts([PENDING, result, DONE], state)).toEqual([undefined, 'q1', undefined]);
  });
});
