/** Threat: an answer to a step of a run is used for another call, or twice. */
import { describe, expect, it } from 'vitest';
import { laterClock } from '../../../test/fixtures/later-clock.ts';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { Approver } from '../../contract/approver.ts';
import type { CallAs } from '../../contract/call-options.ts';
import { HOUR_MS } from '../../kit/data/durations.ts';
import { DurableWork } from '../durable-work.ts';

const ASK = {
  version: 1 as const,
  rules: [{ name: 'ask', effect: 'ask' as const, tools: ['*'] }],
};

const step = (idempotencyKey: string): CallAs => ({
  idempotencyKey,
  durable: new DurableWork('flow:1'),
});

const asked = async (as: CallAs) => {
  const seen = { runs: 0 };
  const { runtime, advance } = laterClock();
  const tool = aTool({ tier: 'write', run: () => ++seen.runs });
  const crib = await testCrib([tool], { policy: ASK, runtime });
  const result = await crib.execute('echo', {}, as);
  const approvalId = result.status === 'pending' ? result.approval.approvalId : '';
  return { crib, seen, approvalId, runtime, advance };
};

/** Asks as one step of a run, and says yes. */
const approved = async (as: CallAs) => {
  const { crib, seen, approvalId, runtime, advance } = await asked(as);
  await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
  const { approvals } = await crib.store();
  return { crib, seen, approvalId, approvals, advance, now: () => runtime.now() };
};

describe('the answer to a step of a run', () => {
  it.each<[string, CallAs]>([
    ['the same user, who calls it himself', {}],
    ['the same user with a key of that name', { idempotencyKey: 'flow:1:a' }],
    ['another step of the run', step('flow:1:b')],
  ])('hostile: is not used by %s', async (_who, as) => {
    const { crib, seen, approvalId } = await approved(step('flow:1:a'));
    const { error } = await crib.execute('echo', {}, { ...as, approvalId });
    expect(error?.code).toBe('APPROVAL_EXPIRED');
    expect(seen.runs).toBe(0);
  });

  it('benign: counts again for the step whose process died right after it had used it', async () => {
    const { crib, seen, approvalId, approvals, now } = await approved(step('flow:1:a'));
    expect(await approvals.use(approvalId, now())).toBe(true);
    const again = await crib.execute('echo', {}, { ...step('flow:1:a'), approvalId });
    expect(again.success).toBe(true);
    const third = await crib.execute('echo', {}, { ...step('flow:1:a'), approvalId });
    expect(third.metadata.cached).toBe(true);
    expect(seen.runs).toBe(1);
  });

  it('benign: counts for the step after its time is over, and an edited input is another call', async () => {
    const { crib, seen, approvalId, advance } = await approved(step('flow:1:a'));
    advance(24 * HOUR_MS);
    const other = await crib.execute('echo', { a: 1 }, { ...step('flow:1:a'), approvalId });
    expect(other.error?.code).toBe('APPROVAL_EXPIRED');
    const late = await crib.execute('echo', {}, { ...step('flow:1:a'), approvalId });
    expect(late.success).toBe(true);
    expect(seen.runs).toBe(1);
  });
});

describe('a step of a run whose process was killed at the question, before that was on record', () => {
  it('benign: asks with the question that waits, and goes on with its answer, late or not', async () => {
    const { crib, seen, approvalId, advance } = await asked(step('flow:1:a'));
    const questions: string[] = [];
    const approver: Approver = {
      ask: async ({ id }) => {
        questions.push(id);
        return { answer: 'later', by: 'ada' };
      },
    };
    const as = { ...step('flow:1:a'), approver };
    expect((await crib.execute('echo', {}, as)).approval?.approvalId).toBe(approvalId);
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    advance(24 * HOUR_MS);
    expect((await crib.execute('echo', {}, as)).success).toBe(true);
    expect([questions, seen.runs]).toEqual([[approvalId], 1]);
  });

  it('hostile: its answer is not found by another step, another input or a call that is no step', async () => {
    const { crib, seen } = await approved(step('flow:1:a'));
    for (const [input, as] of [
      [{}, step('flow:1:b')],
      [{ a: 1 }, step('flow:1:a')],
      [{}, { idempotencyKey: 'flow:1:a' }],
    ] as const) {
      expect((await crib.execute('echo', input, as)).status).toBe('pending');
    }
    expect(seen.runs).toBe(0);
  });
});

describe('the answer to a call of the same caller that was no step', () => {
  it('hostile: is not used by a step of a run or a job after its time is over', async () => {
    const { crib, seen, approvalId, advance } = await approved({});
    advance(24 * HOUR_MS);
    const { error } = await crib.execute('echo', {}, { ...step('flow:1:a'), approvalId });
    expect(error?.code).toBe('APPROVAL_EXPIRED');
    expect(seen.runs).toBe(0);
  });
});

describe('the answer to the call of a caller who is no run', () => {
  it('hostile: is used once, and not after its time is over', async () => {
    const used = await approved({});
    const as = { approvalId: used.approvalId };
    expect((await used.crib.execute('echo', {}, as)).success).toBe(true);
    expect((await used.crib.execute('echo', {}, as)).error?.code).toBe('APPROVAL_EXPIRED');
    const late = await approved({});
    late.advance(24 * HOUR_MS);
    const { error } = await late.crib.execute('echo', {}, { approvalId: late.approvalId });
    expect(error?.code).toBe('APPROVAL_EXPIRED');
  });

  it.each([
    ['a person said no', true, 'USER_CANCELLED'],
    ['nobody answered', false, 'APPROVAL_EXPIRED'],
  ] as const)('tells later that %s', async (_what, isDenied, code) => {
    const { crib, seen, approvalId, advance } = await asked({});
    if (isDenied) await crib.approvals.decide(approvalId, { approve: false, by: 'ada' });
    advance(24 * HOUR_MS);
    // A new question ends those whose time is over.
    await crib.execute('echo', { a: 1 });
    expect((await crib.execute('echo', {}, { approvalId })).error?.code).toBe(code);
    expect(seen.runs).toBe(0);
  });
});
