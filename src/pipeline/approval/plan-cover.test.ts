/** What the approval of a plan covers, condition by condition. */
import { describe, expect, it } from 'vitest';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ApprovalRecord } from '../../contract/approver.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { PlannedCall } from '../../contract/flow-plan.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import type { JudgedCall } from './call-bindings.ts';
import {
  type ConsentFacts,
  coveredTargets,
  isPlanConsent,
  PlanCover,
  type PlannedRun,
} from './plan-cover.ts';
import { PLAN_TOOL } from './plan-tool.ts';

const TARGETS = ['host:api.example.com'];
const resolved = { targets: TARGETS, paths: [] };

const planned = (part: Partial<PlannedCall> = {}): PlannedCall => ({
  place: 'one',
  tool: 'echo',
  version: '1.0.0',
  definition: 'definition',
  input: { text: 'hi' },
  targets: TARGETS,
  ...part,
});

/** A call whose input depends on earlier results. */
const open = (): PlannedCall => {
  const { input: _input, targets: _targets, ...rest } = planned();
  return rest;
};

const recordOf = (call: PlannedCall, part: Partial<ApprovalRecord> = {}): ApprovalRecord => {
  const input = { flow: 'sample', version: '1.0.0', digest: 'plan', calls: [call], asks: [] };
  const facts = { tool: PLAN_TOOL, version: '1.0.0', definition: 'of the plan' };
  return {
    id: 'approval',
    userId: 'local',
    agentId: 'local',
    sessionId: 'local',
    ...facts,
    inputDigest: digestOf(input),
    targets: [],
    policyVersion: 'rules',
    createdAt: 0,
    expiresAt: DAY_MS,
    state: 'used',
    decidedBy: 'ada',
    request: {
      ...facts,
      input,
      targets: [],
      caller: LOCAL_CALLER,
    } as unknown as ApprovalRecord['request'],
    ...part,
  };
};

const run: PlannedRun = {
  caller: LOCAL_CALLER,
  createdAt: 0,
  plan: { approvalId: 'approval', digest: 'plan' },
};

const callOf = (part: Partial<JudgedCall> = {}): JudgedCall =>
  ({
    ready: { tool: aTool() },
    input: { text: 'hi' },
    grant: { tier: 'external_api', capability: undefined, everyTime: false },
    ...part,
  }) as unknown as JudgedCall;

const grant = (part: object) => ({
  grant: { ...callOf().grant, ...part } as JudgedCall['grant'],
});

const facts: ConsentFacts = {
  definition: 'definition',
  policyVersion: 'rules',
  now: 1,
  resolveTargets: async () => resolved,
};

const consentFor = (call: PlannedCall) => {
  const consent = PlanCover.of(recordOf(call), run)?.at('one');
  if (!consent) throw new Error('The plan covers nothing.');
  return consent;
};

describe('the approval of a plan', () => {
  it('covers the call that it lists', async () => {
    const consent = consentFor(planned());
    expect(consent).toMatchObject({ approvalId: 'approval', by: 'ada' });
    expect(isPlanConsent(consent)).toBe(true);
    expect(await coveredTargets(callOf(), consent, facts)).toBe(resolved);
  });

  it('has nothing for a place that the plan does not list', () => {
    expect(PlanCover.of(recordOf(planned()), run)?.at('two')).toBeUndefined();
  });

  it('names nobody where the record names nobody', () => {
    const { decidedBy: _by, ...record } = recordOf(planned());
    expect(PlanCover.of(record, run)).toMatchObject({ by: '' });
  });

  it.each<[string, Partial<ApprovalRecord>]>([
    ['another user', { userId: 'eve' }],
    ['another agent', { agentId: 'eve' }],
    ['another session', { sessionId: 'eve' }],
    ['a call and not a plan', { tool: 'echo' }],
    ['another approval', { id: 'other' }],
    ['a question that was not redeemed', { state: 'approved' }],
    ['an edited plan', { edited: { input: {} } as NonNullable<ApprovalRecord['edited']> }],
    ['an input that nobody was shown', { inputDigest: 'another' }],
  ])('threat: is for no run when it is that of %s', (_what, part) => {
    expect(PlanCover.of(recordOf(planned(), part), run)).toBeUndefined();
  });

  it('threat: is for no run of another plan', () => {
    const other = { ...run, plan: { approvalId: 'approval', digest: 'another' } };
    expect(PlanCover.of(recordOf(planned()), other)).toBeUndefined();
  });

  it.each<[string, Partial<JudgedCall>, Partial<ConsentFacts>]>([
    ['that a planned tool makes', { parent: callOf() }, {}],
    ['that a rule asks about each time', grant({ everyTime: true }), {}],
    ['after a day', {}, { now: DAY_MS }],
    ['under other rules', {}, { policyVersion: 'others' }],
    ['of another tool', { ready: { tool: aTool({ name: 'other' }) } } as Partial<JudgedCall>, {}],
    ['of another version', { ready: { tool: aTool({ version: '2.0.0' }) } } as never, {}],
    ['of a tool whose definition has changed', {}, { definition: 'another' }],
    ['with another input', { input: { text: 'ho' } }, {}],
    [
      'that leads elsewhere',
      {},
      { resolveTargets: async () => ({ targets: ['host:evil.example.com'], paths: [] }) },
    ],
  ])('threat: does not cover a call %s', async (_what, call, part) => {
    const consent = consentFor(planned());
    expect(await coveredTargets(callOf(call), consent, { ...facts, ...part })).toBeUndefined();
  });

  it('threat: does not cover a call days later because the start of its run was changed in the store', async () => {
    const later = { ...run, createdAt: 30 * DAY_MS };
    const consent = PlanCover.of(recordOf(planned(), { expiresAt: DAY_MS }), later)?.at('one');
    if (!consent) throw new Error('The plan covers nothing.');
    const covered = (now: number) => coveredTargets(callOf(), consent, { ...facts, now });
    expect(await covered(2 * DAY_MS - 1)).toBe(resolved);
    expect(await covered(2 * DAY_MS)).toBeUndefined();
  });

  it('covers a call with an open input only where it destroys nothing and reaches nobody', async () => {
    const consent = consentFor(open());
    const covered = (part: object) => coveredTargets(callOf(part), consent, facts);
    expect(await covered(grant({ tier: 'write' }))).toBe(resolved);
    expect(await covered(grant({ tier: 'external_api' }))).toBeUndefined();
    const capability = { action: 'wipe', description: 'Wipes.', destructive: true };
    expect(await covered(grant({ tier: 'write', capability }))).toBeUndefined();
  });

  it.each([undefined, null, 'text', { approvalId: 'approval', by: 'ada' }])(
    'threat: %o is no consent',
    async (made) => {
      expect(isPlanConsent(made)).toBe(false);
      expect(await coveredTargets(callOf(), made as never, facts)).toBeUndefined();
    },
  );
});
