import { expect, it } from 'vitest';
import type { AuditRow } from '../../../contract/audit.ts';
import { recordedVerdict } from './recorded-verdict.ts';

const verdictOf = (
  detail: AuditRow['detail'],
  code: AuditRow['code'] = '',
  status: AuditRow['status'] = 'success',
) => recordedVerdict({ detail, code, status } as AuditRow);

it.each([
  ['a call that ran', { rule: 'r' }, '', 'success', { effect: 'allow', rule: 'r' }],
  ['a tool that failed', { rule: 'r' }, 'NOT_FOUND', 'failure', { effect: 'allow', rule: 'r' }],
  ['a refusal', { rule: '' }, 'PERMISSION_DENIED', 'denied', { effect: 'deny', rule: '' }],
  [
    'an approved one',
    { rule: 'r', approvedBy: 'ada' },
    '',
    'success',
    { effect: 'ask', rule: 'r' },
  ],
  ['one by a grant', { rule: 'r', grantId: 'g' }, '', 'success', { effect: 'ask', rule: 'r' }],
  ['one that waits', { rule: 'r' }, '', 'pending', { effect: 'ask', rule: 'r' }],
  ['a no', { rule: 'r' }, 'USER_CANCELLED', 'denied', { effect: 'ask', rule: 'r' }],
  ['a dry run', { rule: 'r', dryRun: true }, '', 'success', { rule: 'r' }],
  ['a later gate', { rule: 'r' }, 'BUDGET_EXCEEDED', 'denied', { rule: 'r' }],
  ['an earlier gate', { rule: '' }, 'VALIDATION_ERROR', 'failure', undefined],
  ['a row of another shape', {}, 'SECURITY_VIOLATION', 'denied', undefined],
] as const)('%s', (_, detail, code, status, verdict) => {
  expect(verdictOf(detail, code, status)).toEqual(verdict);
});
