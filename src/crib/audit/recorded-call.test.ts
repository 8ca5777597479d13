import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import type { AuditEntry, AuditFilter, AuditRow } from '../../contract/audit.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { REDACTED } from '../../governance/redaction/redaction.ts';
import {
  callerOf,
  inputOf,
  outcomeRows,
  provenNamesOf,
  readInput,
  recordedVerdict,
} from './recorded-call.ts';

const row = (entry: Partial<AuditEntry>, seq = 1): AuditRow =>
  ({ ...auditEntry({ kind: 'outcome', ...entry }), seq, hash: '', previous: '' }) as never;

describe('outcomeRows', () => {
  it('reads page after page until one is not full', async () => {
    const asked: (AuditFilter | undefined)[] = [];
    const pages = [
      Array.from({ length: 200 }, (_, at) => row({}, 400 - at)),
      [row({}, 200), row({}, 199)],
    ];
    const audit = {
      query: async (filter?: AuditFilter) => {
        asked.push(filter);
        return pages[asked.length - 1] ?? [];
      },
    };
    const seqs: number[] = [];
    for await (const { seq } of outcomeRows(audit, { tool: 'read' })) seqs.push(seq);
    expect([seqs.length, seqs.at(-1)]).toEqual([202, 199]);
    expect(asked.map((filter) => [filter?.tool, filter?.before])).toEqual([
      ['read', undefined],
      ['read', 201],
    ]);
  });
});

describe('recordedVerdict', () => {
  it.each([
    [
      { code: 'PERMISSION_DENIED', detail: {} },
      { effect: 'deny', rule: '' },
    ],
    [{ code: 'VALIDATION_ERROR', detail: {} }, undefined],
    [
      { code: '', detail: { rule: 'r' } },
      { effect: 'allow', rule: 'r' },
    ],
    [
      { code: '', detail: { rule: 'r', approvedBy: 'ada' } },
      { effect: 'ask', rule: 'r' },
    ],
    [
      { code: 'APPROVAL_EXPIRED', detail: { rule: 'r' } },
      { effect: 'ask', rule: 'r' },
    ],
    [
      { status: 'pending', code: '', detail: { rule: 'r' } },
      { effect: 'ask', rule: 'r' },
    ],
    [{ code: 'RATE_LIMITED', detail: { rule: 'r' } }, { rule: 'r' }],
    [{ code: '', detail: { rule: 'r', dryRun: true } }, { rule: 'r' }],
  ] as const)('of %j is %j', (entry, verdict) => {
    expect(recordedVerdict(row({ status: 'success', ...entry } as Partial<AuditEntry>))).toEqual(
      verdict,
    );
  });
});

describe('inputOf', () => {
  it('takes the input of the outcome, and of the intent where that has it', async () => {
    const intent = row({ kind: 'intent', detail: { input: { path: 'a' } } });
    const audit = { query: async () => [intent] };
    expect(await inputOf(audit, row({ detail: { input: null } }))).toBeNull();
    expect(await inputOf(audit, row({ detail: {} }))).toEqual({ path: 'a' });
    expect(await inputOf({ query: async () => [] }, row({ detail: {} }))).toBeUndefined();
  });
});

describe('readInput', () => {
  it('says what of an input was not kept', () => {
    expect(readInput(undefined)).toEqual({ missing: 'absent', redacted: [] });
    expect(readInput({ shortened: 'ab', characters: 9 }).missing).toBe('shortened');
    expect(readInput({ unvalidated: 'string' }).missing).toBe('unvalidated');
  });

  it('benign: an input that only has fields of these names is an input', () => {
    const input = { shortened: true, characters: 9, more: 1 };
    expect(readInput(input)).toEqual({ input, redacted: [] });
    expect(readInput(null)).toEqual({ input: null, redacted: [] });
  });

  it('points to what is redacted, in values and in names', () => {
    const { redacted } = readInput({
      'a/b': [`x ${REDACTED}`, 1],
      '~': { [`k ${REDACTED}`]: 'plain' },
      c: 'plain',
    });
    expect(redacted).toEqual(['/a~1b/0', `/~0/k ${REDACTED}`]);
  });
});

describe('the names of a recorded caller', () => {
  it('leave out the local owner, who is not named in calls', () => {
    const names = { agentId: 'a', sessionId: 's' };
    expect(callerOf({ ...names, userId: LOCAL_CALLER.userId })).toEqual(names);
    expect(callerOf({ ...names, userId: 'ada' })).toEqual({ ...names, userId: 'ada' });
  });

  it('are the proven ones when a surface put them before the chosen ones', () => {
    const proven = { userId: 'token:a/b', agentId: 'token:a/b', sessionId: 's/1' };
    const names = { userId: 'token:a/b', agentId: 'token:a%2Fb/scout', sessionId: 's%2F1/x' };
    expect(provenNamesOf(names)).toEqual(proven);
    expect(provenNamesOf({ ...names, agentId: 'scout' })).toBeUndefined();
  });
});
