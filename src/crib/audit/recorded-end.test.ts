import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import type { AuditEntry, AuditRow } from '../../contract/audit.ts';
import { recordedEnd } from './recorded-end.ts';

const row = (entry: Partial<AuditEntry>): AuditRow =>
  ({ ...auditEntry({ kind: 'outcome', ...entry }), seq: 1, hash: '', previous: '' }) as never;

const ended = (entry: Partial<AuditEntry>, hasIntent = false) => {
  const { before, stop } = recordedEnd(row(entry), hasIntent);
  return [before.outcome, stop];
};

describe('recordedEnd', () => {
  it('takes a call that succeeded, and one with an intent, for one that ran', () => {
    expect(ended({ status: 'success', code: '', detail: { rule: 'r' } })).toEqual(['run', 'none']);
    const failed = { status: 'failure', code: 'RATE_LIMITED', detail: { rule: 'r' } } as const;
    expect(ended(failed, true)).toEqual(['run', 'none']);
  });

  it.each([
    ['TOOL_NOT_FOUND', 'tool'],
    ['VALIDATION_ERROR', 'input'],
    ['SECURITY_VIOLATION', 'inspection'],
    ['PERMISSION_DENIED', 'decision'],
  ] as const)('names the gate before the rules that gave %s', (code, stop) => {
    expect(ended({ status: 'denied', code, detail: {} })).toEqual(['refuse', stop]);
  });

  it.each([
    ['RATE_LIMITED', 'limits'],
    ['AUTH_MISSING', 'credential'],
    ['BUDGET_EXCEEDED', 'budget'],
  ] as const)('names the gate after the rules that gave %s', (code, stop) => {
    expect(ended({ status: 'denied', code, detail: { rule: 'r' } })).toEqual(['refuse', stop]);
  });

  it('attributes a code that a tool can return to the tool when the tool was tried', () => {
    const tried = { rule: 'r', attempts: 2 };
    expect(ended({ status: 'failure', code: 'RATE_LIMITED', detail: tried })[1]).toBe('none');
    expect(ended({ status: 'denied', code: 'LOOP_DETECTED', detail: tried })[1]).toBe('limits');
  });

  it('does not guess where the record leaves open whether the tool was started', () => {
    const end = ended({ status: 'timeout', code: 'TIMEOUT', detail: { rule: 'r' } });
    expect(end).toEqual(['unknown', 'unclear']);
    expect(ended({ status: 'failure', code: 'INTERNAL', detail: {} })[0]).toBe('unknown');
  });

  it('reports who approved and the cost, and asks again when a person was asked', () => {
    const detail = { rule: 'r', approvedBy: 'ada', grantId: 'g1', policy: 'p1', tokens: 12 };
    const entry = { status: 'success', code: '', detail, costMicros: 2_000_000 } as const;
    const { before } = recordedEnd(row(entry), true);
    expect(before).toMatchObject({
      outcome: 'ask',
      approvedBy: 'ada',
      grantId: 'g1',
      policy: 'p1',
      costUsd: 2,
      tokens: 12,
    });
    const waiting = {
      status: 'pending',
      code: 'APPROVAL_REQUIRED',
      detail: { rule: 'r' },
    } as const;
    expect(ended(waiting)).toEqual(['ask', 'approval']);
  });
});
