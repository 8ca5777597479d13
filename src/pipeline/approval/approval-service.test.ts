/** What the approvalService compares before an approved call runs. */
import { describe, expect, it } from 'vitest';
import { bindingOf } from '../../governance/approvals/binding.ts';
import { ApprovalService } from './approval-service.ts';

const tool = { name: 'put', version: '1.0.0' };
const caller = { userId: 'u', agentId: 'a', sessionId: 's' };
const ready = { tool, enabled: true, quarantined: false };
const call = { ready, caller, input: { path: 'a' }, executionId: 'e', notes: {} } as never;
const targets = ['file:/a'];
const binding = bindingOf({
  tool,
  caller,
  input: { path: 'a' },
  definition: 'd',
  targets,
  states: [],
  policyVersion: '1',
} as never);

const confirm = (current: object, edited?: { input: unknown; targets?: readonly string[] }) => {
  const deps = {
    readyTool: () => current,
    resolveTargets: async () => ({ targets, paths: [] }),
    definitionOf: () => 'd',
    policy: { version: '1' },
  };
  const approved = { approvalId: 'p', by: 'ada', binding, ...(edited && { edited }) };
  return new ApprovalService(deps as never).confirm(call, approved);
};

describe('an approved call that is about to run', () => {
  it('is refused when its tool was quarantined meanwhile', async () => {
    expect(await confirm({ ...ready, enabled: false, quarantined: true })).toMatchObject({
      result: { success: false, error: { code: 'TOOL_QUARANTINED' } },
    });
  });

  it('is refused when an older version recorded its edited input without targets', async () => {
    const edited = { input: { path: 'a' } };
    expect(await confirm(ready, edited)).toMatchObject({
      result: { success: false, error: { code: 'APPROVAL_EXPIRED' } },
    });
    expect(await confirm(ready, { ...edited, targets })).toEqual({
      resolved: { targets, paths: [] },
    });
  });
});
