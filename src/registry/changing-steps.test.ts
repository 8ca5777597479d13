import { describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { type ErrorCode, type ToolError, toolError } from '../contract/errors.ts';
import type { JournalStep } from '../contract/flow-store.ts';
import type { Tool } from '../contract/tool.ts';
import { mayHaveChanged } from './changing-steps.ts';

const composition = { kind: 'sequence', parts: [] } as unknown as NonNullable<Tool['composition']>;
const tools = new Map(
  [
    aTool({ name: 'read' }),
    aTool({ name: 'write', tier: 'write' }),
    aTool({ name: 'pay', tier: 'write', idempotent: true }),
    aTool({ name: 'caller', tier: 'write', callsTools: true }),
    aTool({ name: 'reading_caller', callsTools: true }),
    aTool({ name: 'composed', tier: 'write', callsTools: true, composition }),
  ].map((tool) => [tool.name, { tool }]),
);

const entry = (name: string, rest: Partial<JournalStep> = {}): JournalStep => ({
  key: `${name}-key`,
  kind: 'call',
  name,
  digest: '',
  state: 'done',
  startedAt: 0,
  executionId: `${name}-execution`,
  ...rest,
});
/** A step that an earlier call of its run has answered. */
const answered = (name: string): JournalStep => {
  const { executionId: _, ...rest } = entry(name);
  return rest;
};
const failed = (name: string, code: ErrorCode, extras: Partial<ToolError> = {}): JournalStep =>
  entry(name, { state: 'failed', error: { ...toolError(code), ...extras } });
const undo = (executionId: string, state: JournalStep['state']): JournalStep =>
  entry(executionId, { key: `undo:${executionId}`, kind: 'undo', state });
const child = (childId: string): JournalStep => entry('sub', { kind: 'child', childId });

const judge = (journals: Readonly<Record<string, readonly JournalStep[]>>): Promise<boolean> =>
  mayHaveChanged('run', { tools, flows: { steps: async (id) => journals[id] ?? [] } });

describe('mayHaveChanged', () => {
  it.each<[string, readonly JournalStep[], boolean]>([
    ['that only reads', [entry('read')], false],
    ['whose reading call failed', [failed('read', 'NETWORK')], false],
    ['that writes', [entry('write')], true],
    ['whose write is under way', [entry('write', { state: 'open' })], true],
    ['whose write was refused', [failed('write', 'PERMISSION_DENIED')], false],
    ['whose write never began', [failed('write', 'CIRCUIT_OPEN')], false],
    ['whose write failed in the middle', [failed('write', 'NETWORK', { retryable: false })], true],
    ['whose write met no store', [failed('write', 'STORE_UNAVAILABLE')], false],
    [
      'whose write was not recorded',
      [failed('write', 'STORE_UNAVAILABLE', { retryable: false })],
      true,
    ],
    ['that pays with an idempotent tool', [entry('pay')], true],
    ['whose idempotent call failed in the middle', [failed('pay', 'NETWORK')], true],
    ['whose idempotent call was refused', [failed('pay', 'RATE_LIMITED')], false],
    ['whose calling tool failed with the code of a part', [failed('caller', 'LOCK')], true],
    ['that calls a reading tool that calls others', [entry('reading_caller')], true],
    ['whose composed tool failed before its parts', [failed('composed', 'LOCK')], false],
    [
      'whose composed tool failed after a part',
      [failed('composed', 'LOCK', { partial: [{ success: true }] })],
      true,
    ],
    ['that called a tool which is gone', [entry('gone')], true],
    ['that called a tool which never was', [failed('gone', 'TOOL_NOT_FOUND')], false],
    ['whose write was undone', [entry('write', { executionId: 'e' }), undo('e', 'done')], false],
    [
      'whose write was answered by one that was undone',
      [entry('write'), answered('write'), undo('write-execution', 'done')],
      false,
    ],
    ['whose write was answered by one that stays', [entry('write'), answered('write')], true],
    ['whose undo failed', [entry('write', { executionId: 'e' }), undo('e', 'failed')], true],
  ])('tells whether a run %s may have changed something', async (_title, steps, expected) => {
    expect(await judge({ run: steps })).toBe(expected);
  });

  it('counts what the runs have changed that it has started, at any depth', async () => {
    const journals = { run: [child('a')], a: [child('b')] };
    expect(await judge({ ...journals, b: [entry('read')] })).toBe(false);
    expect(await judge({ ...journals, b: [entry('write')] })).toBe(true);
  });
});
