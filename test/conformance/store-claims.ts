/** What every store owes to things that must happen once: hits, replays and approvals. */
import { describe, expect, it } from 'vitest';
import { toolError } from '../../src/contract/errors.ts';
import type { Grant } from '../../src/contract/grant.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import type { ReplayRequest, Store } from '../../src/contract/store.ts';
import { describeInbox } from './store-inbox.ts';
import { AWKWARD_STRINGS, approvalRecord, NOW, times, toolResult } from './store-samples.ts';

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Math.floor(NOW / DAY) * DAY;

const describeCounters = (use: Use): void => {
  it('admits exactly the limit of concurrent hits', () =>
    use(async (store) => {
      const windows = [{ sizeMs: HOUR, limit: 50 }];
      const outcomes = await Promise.all(times(300, () => store.counters.hit('k', windows, START)));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(50);
      expect(outcomes.at(-1)).toEqual({ ok: false, retryAfterMs: HOUR });
    }));

  it('starts anew with each window', () =>
    use(async (store) => {
      const windows = [{ sizeMs: HOUR, limit: 1 }];
      const hit = (now: number) => store.counters.hit('k', windows, now);
      expect(await hit(START + HOUR - 1)).toEqual({ ok: true });
      expect(await hit(START + HOUR - 1)).toEqual({ ok: false, retryAfterMs: 1 });
      expect(await hit(START + HOUR)).toEqual({ ok: true });
      expect(await hit(START + HOUR + 600_000)).toEqual({ ok: false, retryAfterMs: 3_000_000 });
    }));

  it('counts in every window or in none, and says when all are free', () =>
    use(async (store) => {
      const windows = [
        { sizeMs: HOUR, limit: 2 },
        { sizeMs: DAY, limit: 3 },
      ];
      const hit = (now: number) => store.counters.hit('k', windows, now);
      expect(await Promise.all(times(3, () => hit(START)))).toEqual([
        { ok: true },
        { ok: true },
        { ok: false, retryAfterMs: HOUR },
      ]);
      expect(await hit(START + HOUR)).toEqual({ ok: true });
      expect(await hit(START + HOUR)).toEqual({ ok: false, retryAfterMs: DAY - HOUR });
      const day = [{ sizeMs: DAY, limit: 4 }];
      expect(await store.counters.hit('k', day, START + HOUR)).toEqual({ ok: true });
    }));

  it('looks without counting', () =>
    use(async (store) => {
      const windows = [{ sizeMs: HOUR, limit: 1 }];
      await Promise.all(times(5, () => store.counters.peek('k', windows, START)));
      expect(await store.counters.hit('k', windows, START)).toEqual({ ok: true });
      const full = { ok: false, retryAfterMs: HOUR };
      expect(await store.counters.peek('k', windows, START)).toEqual(full);
      expect(await store.counters.peek('other', windows, START)).toEqual({ ok: true });
    }));

  it('keeps keys apart, takes the stricter of two limits, and limit 0 as never', () =>
    use(async (store) => {
      const once = [{ sizeMs: HOUR, limit: 1 }];
      const outcomes = await Promise.all(
        AWKWARD_STRINGS.map((key) => store.counters.hit(key, once, START)),
      );
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
      const twice = [...once, { sizeMs: HOUR, limit: 9 }];
      expect(await store.counters.hit('t', twice, START)).toEqual({ ok: true });
      expect(await store.counters.hit('t', twice, START)).toMatchObject({ ok: false });
      const never = [{ sizeMs: HOUR, limit: 0 }];
      expect(await store.counters.hit('n', never, START)).toMatchObject({ ok: false });
      expect(await store.counters.hit('n', [], START)).toEqual({ ok: true });
    }));

  it('still counts right after thousands of windows came and went', () =>
    use(async (store) => {
      const windows = [{ sizeMs: 1000, limit: 1 }];
      const waves = times(30, (n) => START + n * 100_000);
      for (const now of waves) {
        const hits = times(100, (n) => store.counters.hit(`k${n}`, windows, now));
        expect((await Promise.all(hits)).every(({ ok }) => ok)).toBe(true);
      }
      const last = waves.at(-1) ?? 0;
      expect(await store.counters.hit('k5', windows, last)).toMatchObject({ ok: false });
    }));

  it.each([0, -1, 0.5, Number.NaN])('refuses a window of %s ms', (sizeMs) =>
    use(async (store) => {
      const hit = store.counters.hit('k', [{ sizeMs, limit: 1 }], START);
      await expect(hit).rejects.toMatchObject({ code: 'INTERNAL' });
    }),
  );
};

/** A result that says that nobody knows what became of a call. */
const doubtful = (inDoubt: string): ToolResult => {
  const { metadata } = toolResult(1);
  const error = toolError('CANCELLED', 'Cut off.', { inDoubt });
  return { success: false, status: 'cancelled', error, metadata };
};

const describeReplays = (use: Use): void => {
  const request = (parts: Partial<ReplayRequest> = {}): ReplayRequest => ({
    key: 'key',
    digest: 'digest',
    executionId: 'exec-1',
    now: NOW,
    ...parts,
  });

  it('lets exactly one of many claims through', () =>
    use(async (store) => {
      const claims = await Promise.all(
        times(50, (n) => store.replays.claim(request({ executionId: `e${n}` }))),
      );
      expect(claims.filter(({ state }) => state === 'new')).toHaveLength(1);
      expect(claims[1]).toEqual({ state: 'running', executionId: 'e0' });
    }));

  it('returns the stored result until it expires', () =>
    use(async (store) => {
      const result = toolResult({ text: 'ä\0\ud800', list: [1, null] });
      await store.replays.claim(request());
      await store.replays.finish({ key: 'key' }, result, NOW + 1000);
      expect(await store.replays.claim(request({ now: NOW + 999 }))).toEqual({
        state: 'done',
        result,
      });
      expect(await store.replays.claim(request({ now: NOW + 1000 }))).toEqual({ state: 'new' });
      expect(await store.replays.claim(request({ executionId: 'e2' }))).toEqual({
        state: 'running',
        executionId: 'exec-1',
      });
    }));

  it('refuses another input under the same key, running or done', () =>
    use(async (store) => {
      await store.replays.claim(request());
      const other = request({ digest: 'other' });
      expect(await store.replays.claim(other)).toEqual({ state: 'mismatch' });
      await store.replays.finish({ key: 'key' }, toolResult(1), NOW + 1000);
      expect(await store.replays.claim(other)).toEqual({ state: 'mismatch' });
      const later = request({ digest: 'other', now: NOW + 2000 });
      expect(await store.replays.claim(later)).toEqual({ state: 'new' });
    }));

  it('frees a key that was abandoned, but none that is finished', () =>
    use(async (store) => {
      await store.replays.claim(request());
      await store.replays.abandon('key');
      expect(await store.replays.claim(request())).toEqual({ state: 'new' });
      await store.replays.finish({ key: 'key' }, toolResult(1), NOW + 1000);
      await store.replays.abandon('key');
      await store.replays.abandon('never');
      expect(await store.replays.claim(request())).toMatchObject({ state: 'done' });
    }));

  it('frees no key of a call that is running, finished or unknown as that of a dead one', () =>
    use(async (store) => {
      await store.replays.claim(request());
      expect(await store.replays.abandonDead('key', 'exec-1')).toBe(false);
      expect(await store.replays.claim(request())).toMatchObject({ state: 'running' });
      await store.replays.finish({ key: 'key' }, toolResult(1), NOW + 1000);
      expect(await store.replays.abandonDead('key', 'exec-1')).toBe(false);
      expect(await store.replays.abandonDead('never', 'exec-1')).toBe(false);
      expect(await store.replays.claim(request())).toMatchObject({ state: 'done' });
    }));

  it('forgets a key that is claimed or finished, and the call that had claimed it writes no result', () =>
    use(async (store) => {
      const other = request({ digest: 'other', executionId: 'exec-2' });
      await store.replays.claim(request());
      await store.replays.forget('key');
      expect(await store.replays.claim(other)).toEqual({ state: 'new' });
      const late = { key: 'key', executionId: 'exec-1' };
      await store.replays.finish(late, toolResult(1), NOW + 1000);
      expect(await store.replays.claim(other)).toMatchObject({ state: 'running' });
      await store.replays.finish({ key: 'key' }, toolResult(2), NOW + 1000);
      await store.replays.forget('key');
      await store.replays.forget('never');
      expect(await store.replays.claim(request())).toEqual({ state: 'new' });
    }));

  it('keeps the first of two results, and ignores one for a key nobody claimed', () =>
    use(async (store) => {
      await store.replays.claim(request());
      await store.replays.finish({ key: 'key' }, toolResult(1), NOW + 1000);
      await store.replays.finish({ key: 'key' }, toolResult(2), NOW + 1000);
      await store.replays.finish({ key: 'other' }, toolResult(3), NOW + 1000);
      expect(await store.replays.claim(request())).toMatchObject({ result: { data: 1 } });
      expect(await store.replays.claim(request({ key: 'other' }))).toEqual({ state: 'new' });
    }));

  it('refuses a result that is not JSON, and goes on waiting for one that is', () =>
    use(async (store) => {
      await store.replays.claim(request());
      const silent = Object.assign(toolResult(1), { toJSON: () => undefined });
      for (const result of [toolResult(1n), silent]) {
        const finish = store.replays.finish({ key: 'key' }, result, NOW + 1000);
        await expect(finish).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
      }
      expect(await store.replays.claim(request())).toMatchObject({ state: 'running' });
    }));

  it('still knows its keys after thousands have expired', () =>
    use(async (store) => {
      const claimAt = (now: number) => async (n: number) => {
        const { state } = await store.replays.claim(request({ key: `${now} ${n}`, now }));
        await store.replays.finish({ key: `${now} ${n}` }, toolResult(n), now + 1000);
        return state;
      };
      for (const now of [NOW, NOW + 5000, NOW + 10_000]) {
        const states = await Promise.all(times(700, claimAt(now)));
        expect(states.every((state) => state === 'new')).toBe(true);
      }
      const done = request({ key: `${NOW + 10_000} 3`, now: NOW + 10_000 });
      expect(await store.replays.claim(done)).toMatchObject({ result: { data: 3 } });
      const expired = request({ key: `${NOW} 3`, now: NOW + 10_000 });
      expect(await store.replays.claim(expired)).toEqual({ state: 'new' });
    }));

  it('ends the doubt about a call with an answer or by freeing its key, and only that of a call in doubt', () =>
    use(async (store) => {
      const { replays } = store;
      const answer = { result: toolResult('sent'), expiresAt: NOW + 1000 };
      for (const [key, inDoubt] of [
        ['first', 'first'],
        ['second', 'second'],
        ['of another', 'x'],
      ] as const) {
        await replays.claim(request({ key, executionId: key }));
        await replays.finish({ key, executionId: key }, doubtful(inDoubt), NOW + 1000);
      }
      await replays.claim(request({ key: 'running', executionId: 'running' }));
      await replays.claim(request({ key: 'done', executionId: 'done' }));
      await replays.finish({ key: 'done' }, toolResult(1), NOW + 1000);
      expect(await replays.settle('first', answer)).toBe(true);
      expect(await replays.settle('first', undefined)).toBe(false);
      expect(await replays.settle('second', undefined)).toBe(true);
      for (const other of ['running', 'done', 'of another', 'nobody']) {
        expect(await replays.settle(other, undefined)).toBe(false);
      }
      const first = await replays.claim(request({ key: 'first' }));
      expect(first).toEqual({ state: 'done', result: answer.result });
      expect(await replays.claim(request({ key: 'second' }))).toEqual({ state: 'new' });
      expect(await replays.claim(request({ key: 'done' }))).toMatchObject({ state: 'done' });
    }));

  it('keeps keys apart', () =>
    use(async (store) => {
      const claims = await Promise.all(
        AWKWARD_STRINGS.map((key) => store.replays.claim(request({ key }))),
      );
      expect(claims.every(({ state }) => state === 'new')).toBe(true);
    }));
};

const describeApprovals = (use: Use): void => {
  const yes = { approve: true, by: 'boss', at: NOW + 5 };

  it('P1: lets exactly one of many callers use an approval, ever', () =>
    use(async (store) => {
      await store.approvals.create(approvalRecord('a1'));
      expect(await store.approvals.use('a1', NOW)).toBe(false);
      expect(await store.approvals.decide('a1', yes)).toBe(true);
      const uses = await Promise.all(times(200, () => store.approvals.use('a1', NOW)));
      expect(uses.filter(Boolean)).toHaveLength(1);
      expect(await store.approvals.use('a1', NOW)).toBe(false);
      expect(await store.approvals.get('a1')).toMatchObject({ state: 'used', decidedBy: 'boss' });
    }));

  it('takes exactly one of many decisions', () =>
    use(async (store) => {
      await store.approvals.create(approvalRecord('a1'));
      const decisions = await Promise.all(
        times(20, (n) =>
          store.approvals.decide('a1', { approve: n % 2 === 1, by: `p${n}`, at: n }),
        ),
      );
      expect(decisions).toEqual([true, ...times(19, () => false)]);
      expect(await store.approvals.get('a1')).toEqual(
        approvalRecord('a1', { state: 'denied', decidedBy: 'p0', decidedAt: 0 }),
      );
      expect(await store.approvals.use('a1', NOW)).toBe(false);
    }));

  it('gives back the exact record, and nothing for an unknown id', () =>
    use(async (store) => {
      const record = approvalRecord('a1');
      await store.approvals.create(record);
      expect(await store.approvals.get('a1')).toEqual(record);
      expect(await store.approvals.get('a')).toBeUndefined();
      expect(await store.approvals.decide('nobody', yes)).toBe(false);
      expect(await store.approvals.use('nobody', NOW)).toBe(false);
    }));

  it('lists newest first, by state', () =>
    use(async (store) => {
      for (const n of [2, 0, 1]) {
        await store.approvals.create(approvalRecord(`a${n}`, { createdAt: NOW + n }));
      }
      await store.approvals.create(approvalRecord('a1b', { createdAt: NOW + 1 }));
      await store.approvals.decide('a0', yes);
      const ids = async (state?: 'waiting' | 'approved' | 'used') =>
        (await store.approvals.list(state)).map(({ id }) => id);
      expect(await ids()).toEqual(['a2', 'a1b', 'a1', 'a0']);
      expect(await ids('waiting')).toEqual(['a2', 'a1b', 'a1']);
      expect(await ids('approved')).toEqual(['a0']);
      expect(await ids('used')).toEqual([]);
    }));

  it('keeps a record that was decided before it was put on file', () =>
    use(async (store) => {
      const decided = { state: 'approved', decidedBy: 'boss\0', decidedAt: NOW } as const;
      await store.approvals.create(approvalRecord('a1', decided));
      expect(await store.approvals.get('a1')).toEqual(approvalRecord('a1', decided));
      expect(await store.approvals.use('a1', NOW)).toBe(true);
    }));

  it('gives back what the approver made of it', () =>
    use(async (store) => {
      await store.approvals.create(approvalRecord('a1'));
      const said = { note: 'smaller', edited: { input: { path: 'b.txt' } } };
      await store.approvals.decide('a1', { ...yes, ...said });
      expect(await store.approvals.get('a1')).toMatchObject({ state: 'approved', ...said });
    }));

  it('lets nobody use an approval that has expired', () =>
    use(async (store) => {
      const record = approvalRecord('a1', { state: 'approved' });
      await store.approvals.create(record);
      expect(await store.approvals.use('a1', record.expiresAt)).toBe(false);
      expect(await store.approvals.use('a1', record.expiresAt - 1)).toBe(true);
    }));

  it('never replaces a record: a used approval stays used', () =>
    use(async (store) => {
      await store.approvals.create(approvalRecord('a1', { state: 'used' }));
      const again = store.approvals.create(approvalRecord('a1', { state: 'approved' }));
      await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await store.approvals.use('a1', NOW)).toBe(false);
    }));
};

const aGrant = (id: string, parts: Partial<Grant> = {}): Grant => ({
  id,
  subject: { user: 'alice' },
  resource: 'tool:write_file',
  actions: ['*'],
  skipsApproval: true,
  createdAt: NOW,
  by: 'boss',
  ...parts,
});

const describeGrants = (use: Use): void => {
  it('keeps a grant until it is revoked, once', () =>
    use(async (store) => {
      const grant = aGrant('g1', { condition: 'true', note: 'ok' });
      await store.grants.add(grant);
      expect(await store.grants.list(NOW)).toEqual([grant]);
      expect(await store.grants.revoke('nobody')).toBe(false);
      const revoked = await Promise.all(times(5, () => store.grants.revoke('g1')));
      expect(revoked.filter(Boolean)).toHaveLength(1);
      expect(await store.grants.list(NOW)).toEqual([]);
    }));

  it('lists the newest first, and none that has expired', () =>
    use(async (store) => {
      await store.grants.add(aGrant('g1', { expiresAt: NOW + 10 }));
      await store.grants.add(aGrant('g2'));
      const ids = async (now: number) => (await store.grants.list(now)).map(({ id }) => id);
      expect(await ids(NOW)).toEqual(['g2', 'g1']);
      expect(await ids(NOW + 10)).toEqual(['g2']);
    }));

  it('refuses a second grant of the same id', () =>
    use(async (store) => {
      await store.grants.add(aGrant('g1'));
      const wider = store.grants.add(aGrant('g1', { resource: 'tool:*' }));
      await expect(wider).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await store.grants.list(NOW)).toEqual([aGrant('g1')]);
    }));
};

export const describeClaims = (use: Use): void => {
  describe('counters', () => describeCounters(use));
  describe('replays', () => describeReplays(use));
  describe('approvals', () => describeApprovals(use));
  describe('inbox', () => describeInbox(use));
  describe('grants', () => describeGrants(use));
};
