import { describe, expect, it } from 'vitest';
import { approvalRecord, NOW } from '../../../test/conformance/store-samples.ts';
import { rememberedGrant } from './remembered-grant.ts';

const made = { by: 'boss', at: NOW };

describe('the grant of a remembered approval', () => {
  it('is bound to the session, to the definition and to one day when it is for a session', () => {
    expect(rememberedGrant(approvalRecord('a1'), { scope: 'session' }, made)).toEqual({
      subject: { user: 'alice', agent: 'agent-1', session: 'session-1' },
      resource: 'tool:write_file',
      actions: ['write'],
      skipsApproval: true,
      definition: 'd',
      by: 'boss',
      expiresAt: NOW + 24 * 60 * 60 * 1000,
      note: 'allowed for this session, 24 hours at most',
    });
  });

  it('outlives the session, for a year at most, when it is for a pattern', () => {
    const condition = 'input.path == "a.txt"';
    const pattern = rememberedGrant(approvalRecord('a1'), { scope: 'pattern', condition }, made);
    expect(pattern).toMatchObject({ subject: { user: 'alice', agent: 'agent-1' }, condition });
    expect(pattern.expiresAt).toBe(NOW + 365 * 24 * 60 * 60 * 1000);
    const until = { scope: 'pattern', condition, expiresAt: NOW + 5 } as const;
    expect(rememberedGrant(approvalRecord('a1'), until, made).expiresAt).toBe(NOW + 5);
  });

  it('covers the one action of a tool that declares none', () => {
    const record = approvalRecord('a1');
    const plain = { ...record, request: { ...record.request, action: record.request.tool } };
    expect(rememberedGrant(plain, { scope: 'session' }, made).actions).toEqual(['*']);
  });
});
