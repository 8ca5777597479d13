/** What every store owes its audit trail: no gap, no edit, no lost row, and honest intents. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditCheckpoint, AuditEntry, AuditFilter } from '../../src/contract/audit.ts';
import type { Store } from '../../src/contract/store.ts';
import { verifyAudit } from '../../src/governance/audit/verify-audit.ts';
import { sized } from '../guarantees/size.ts';
import { AWKWARD_STRINGS, allRows, auditEntry, intentEntry, NOW, times } from './store-samples.ts';

type Use = (test: (store: Store) => Promise<void>) => Promise<void>;

/** Any entry the types allow and some that they do not. */
const anyEntry: fc.Arbitrary<AuditEntry> = fc
  .record({
    executionId: fc.string({ unit: 'binary' }),
    tool: fc.string({ unit: 'binary' }),
    userId: fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...AWKWARD_STRINGS)),
    sessionId: fc.constantFrom(...AWKWARD_STRINGS),
    at: fc.oneof(fc.integer(), fc.double()),
    durationMs: fc.double(),
    costMicros: fc.oneof(fc.maxSafeInteger(), fc.double()),
    detail: fc.dictionary(
      fc.oneof(fc.string({ unit: 'binary' }), fc.nat().map(String), fc.constant('__proto__')),
      fc.oneof(fc.jsonValue(), fc.object(), fc.double(), fc.string({ unit: 'binary' })),
    ),
  })
  .map((parts) => auditEntry(parts));

const circle = (): Record<string, unknown> => {
  const detail: Record<string, unknown> = {};
  detail.self = detail;
  return detail;
};

const throwing = (): Record<string, unknown> => ({
  get secret() {
    throw new Error('no');
  },
});

/** Index keys come back from JSON in rising order; a proxy may give them in another. */
const disorderly = (): Record<string, unknown> =>
  new Proxy<Record<string, unknown>>(
    { 1: 'a', 2: 'b', 10: 'c' },
    { ownKeys: () => ['10', '2', '1'] },
  );

const describeChain = (use: Use): void => {
  it('tells listeners of the rows that it has written, with their numbers, until they leave', () =>
    use(async (store) => {
      const { audit } = store;
      const told = new Map<number, string>();
      const leave = audit.onWritten?.((first, entries) => {
        for (const [at, { executionId }] of entries.entries()) told.set(first + at, executionId);
      });
      // A driver that cannot tell has no such method.
      if (!leave) return;
      await Promise.all(
        times(20, async (n) =>
          audit.append(auditEntry({ executionId: `e${n}` }), n % 3 === 0 ? 'synced' : 'written'),
        ),
      );
      await audit.intend([intentEntry('i')], []);
      const rows = await allRows(store);
      expect([...told].sort(([one], [other]) => one - other)).toEqual(
        rows.map(({ seq, executionId }) => [seq, executionId]),
      );
      leave();
      await audit.append(auditEntry({ executionId: 'later' }));
      expect(told.size).toBe(21);
    }));

  it('chains rows of both durabilities, of one turn and of several', () =>
    use(async (store) => {
      const durabilityOf = (n: number) => (n % 3 === 0 ? 'synced' : 'written');
      await Promise.all(
        times(90, async (n) =>
          store.audit.append(auditEntry({ executionId: `e${n}` }), durabilityOf(n)),
        ),
      );
      for (const n of times(9, (index) => index)) {
        await store.audit.append(auditEntry({ executionId: `f${n}` }), durabilityOf(n));
        expect((await store.audit.query({ limit: 1 }))[0]?.executionId).toBe(`f${n}`);
      }
      expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 99 });
    }));

  it('numbers rows without a gap and chains them', () =>
    use(async (store) => {
      await Promise.all(
        times(250, async (n) => store.audit.append(auditEntry({ executionId: `e${n}` }))),
      );
      for (const n of times(50, (index) => index)) {
        await store.audit.append(auditEntry({ executionId: `f${n}` }));
      }
      const rows = await allRows(store);
      expect(rows.map(({ seq }) => seq)).toEqual(times(300, (n) => n + 1));
      expect(rows.slice(0, 3).map((row) => row.executionId)).toEqual(['e0', 'e1', 'e2']);
      expect(new Set(rows.map(({ hash }) => hash)).size).toBe(300);
      const report = await verifyAudit(store.audit.scan());
      expect(report).toMatchObject({ ok: true, rows: 300 });
      expect(report.head).toEqual(await store.audit.head());
    }));

  it('has no head before the first row', () =>
    use(async (store) => {
      expect(await store.audit.head()).toBeUndefined();
      expect(await store.audit.query()).toEqual([]);
      expect(await allRows(store)).toEqual([]);
      expect(await verifyAudit(store.audit.scan())).toEqual({ ok: true, rows: 0, head: undefined });
    }));

  it('gives back what was put in', () =>
    use(async (store) => {
      const entry = auditEntry({ status: 'denied', code: 'PERMISSION_DENIED', costMicros: 12 });
      await store.audit.append(entry);
      const [row] = await store.audit.query();
      expect(row).toEqual({ ...entry, seq: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    }));

  it('verifies whatever was appended: no false alarm on a clean log', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { maxLength: 12 }), (entries) =>
        use(async (store) => {
          await Promise.all(entries.map(async (entry) => store.audit.append(entry)));
          const rows = await allRows(store);
          expect(rows.map(({ tool }) => tool)).toEqual(entries.map(({ tool }) => tool));
          expect(rows.map(({ userId }) => userId)).toEqual(entries.map(({ userId }) => userId));
          const report = await verifyAudit(store.audit.scan(), {
            expected: await store.audit.head(),
          });
          expect(report).toMatchObject({ ok: true, rows: entries.length });
        }),
      ),
      { numRuns: sized(20, 200) },
    ));

  it.each([
    ['a circle', circle],
    ['a big integer', () => ({ amount: 1n })],
    ['larger than anybody can read', () => ({ text: 'x'.repeat(17 * 1024 * 1024) })],
    ['no object', () => 'text' as never],
    ['a throwing getter', throwing],
    ['an object with an order of its own', disorderly],
    ['an object that answers with text', () => ({ toJSON: () => 'text' })],
    ['an object that answers with nothing', () => ({ toJSON: () => undefined })],
  ])('keeps the row and a sound chain when the detail is %s', (_, detail) =>
    use(async (store) => {
      await store.audit.append(auditEntry({ detail: detail() }));
      await store.audit.append(auditEntry());
      expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 2 });
    }),
  );

  it('scans from a row on, in pages', () =>
    use(async (store) => {
      await Promise.all(times(2500, async () => store.audit.append(auditEntry())));
      const sizes: number[] = [];
      for await (const page of store.audit.scan()) sizes.push(page.length);
      expect(sizes.reduce((a, b) => a + b)).toBe(2500);
      expect(sizes.length).toBeGreaterThan(1);
      const rows = await allRows(store, 2400);
      expect(rows.map(({ seq }) => seq)).toEqual(times(101, (n) => 2400 + n));
      expect(await allRows(store, 2501)).toEqual([]);
    }));
};

const FILTERS: readonly (readonly [string, AuditFilter, (n: number) => boolean])[] = [
  ['nothing', {}, () => true],
  ['user', { userId: 'alice' }, (n) => n % 2 === 1],
  ['tool', { tool: 'read_file' }, (n) => n % 5 === 0],
  ['tier', { tier: 'write' }, (n) => n % 4 === 0],
  ['status', { status: 'failure' }, (n) => n % 10 === 0],
  ['several statuses', { statuses: ['failure', 'timeout'] }, (n) => n % 10 === 0],
  ['no status at all', { statuses: [] }, () => false],
  ['code', { code: 'NETWORK' }, (n) => n % 10 === 0],
  ['no code', { code: '' }, (n) => n % 10 !== 0],
  ['version', { version: '2.0.0' }, (n) => n % 3 === 0],
  ['a longer time', { overMs: 97 }, (n) => n > 97],
  ['a time at most', { upToMs: 2 }, (n) => n <= 2],
  ['kind', { kind: 'event' }, (n) => n % 20 === 0],
  ['execution', { executionId: 'e42' }, (n) => n === 42],
  ['date from', { from: NOW + 90_000 }, (n) => n >= 90],
  ['date to', { to: NOW + 10_000 }, (n) => n < 10],
  ['date range', { from: NOW + 10_000, to: NOW + 20_000 }, (n) => n >= 10 && n < 20],
  ['an empty range', { from: NOW + 20_000, to: NOW + 10_000 }, () => false],
  ['row before', { before: 11 }, (n) => n < 10],
  ['row', { seq: 43 }, (n) => n === 42],
  ['row and user', { seq: 43, userId: 'alice' }, () => false],
  ['row and row before', { seq: 43, before: 43 }, () => false],
  ['row that never was', { seq: 1000 }, () => false],
  ['user and status', { userId: 'bob', status: 'failure' }, (n) => n % 10 === 0],
  ['nobody', { userId: 'nobody' }, () => false],
];

const describeQuery = (use: Use): void => {
  const fill = (store: Store): Promise<unknown> =>
    Promise.all(
      times(100, async (n) =>
        store.audit.append(
          auditEntry({
            executionId: `e${n}`,
            at: NOW + n * 1000,
            userId: n % 2 ? 'alice' : 'bob',
            tool: n % 5 ? 'calculator' : 'read_file',
            tier: n % 4 ? 'read_only' : 'write',
            version: n % 3 ? '1.0.0' : '2.0.0',
            status: n % 10 ? 'success' : 'failure',
            code: n % 10 ? '' : 'NETWORK',
            durationMs: n,
            kind: n % 20 ? 'outcome' : 'event',
          }),
        ),
      ),
    );

  it.each(FILTERS)('filters by %s, newest first', (_, filter, wanted) =>
    use(async (store) => {
      await fill(store);
      const found = await store.audit.query(filter);
      const expected = times(100, (n) => n)
        .filter(wanted)
        .reverse();
      expect(found.map(({ executionId }) => executionId)).toEqual(expected.map((n) => `e${n}`));
    }),
  );

  it('pages backwards with limit and before', () =>
    use(async (store) => {
      await fill(store);
      const first = await store.audit.query({ userId: 'bob', limit: 20 });
      expect(first).toHaveLength(20);
      const rest = await store.audit.query({ userId: 'bob', before: first.at(-1)?.seq ?? 0 });
      expect([...first, ...rest].map(({ seq }) => seq)).toEqual(times(50, (n) => 99 - 2 * n));
      expect(await store.audit.query({ limit: 0 })).toEqual([]);
    }));

  it('takes no string for another', () =>
    use(async (store) => {
      await Promise.all(
        AWKWARD_STRINGS.map(async (userId) => store.audit.append(auditEntry({ userId }))),
      );
      for (const userId of AWKWARD_STRINGS) {
        const found = await store.audit.query({ userId });
        expect(found.map((row) => row.userId)).toEqual([userId]);
      }
    }));
};

const describeIntents = (use: Use): void => {
  const openIds = async (store: Store): Promise<string[]> =>
    (await store.intents.open()).map(({ entry }) => entry.executionId).sort();

  it('opens a claim with the intent and closes it with the outcome', () =>
    use(async (store) => {
      await Promise.all(times(20, async (n) => store.audit.append(intentEntry(`e${n}`))));
      expect(await openIds(store)).toHaveLength(20);
      expect((await store.intents.open()).every(({ ownerAlive }) => ownerAlive)).toBe(true);
      await Promise.all(
        times(19, async (n) =>
          store.audit.append(auditEntry({ executionId: `e${n}`, status: 'unknown' })),
        ),
      );
      const left = await store.intents.open();
      expect(left).toHaveLength(1);
      expect(left[0]?.entry).toMatchObject(intentEntry('e19'));
    }));

  it('is left alone by events and by outcomes of other calls', () =>
    use(async (store) => {
      await store.audit.append(auditEntry({ executionId: 'refused', status: 'denied' }));
      await store.audit.append(intentEntry('e1'));
      await store.audit.append(auditEntry({ executionId: 'e1', kind: 'event' }));
      await store.audit.append(auditEntry({ executionId: 'e2' }));
      expect(await openIds(store)).toEqual(['e1']);
    }));

  it('is closed when intent and outcome arrive together', () =>
    use(async (store) => {
      await Promise.all([
        store.audit.append(intentEntry('e1')),
        store.audit.append(auditEntry({ executionId: 'e1' })),
      ]);
      expect(await openIds(store)).toEqual([]);
    }));

  it('confuses no awkward ids', () =>
    use(async (store) => {
      await Promise.all(AWKWARD_STRINGS.map(async (id) => store.audit.append(intentEntry(id))));
      await store.audit.append(auditEntry({ executionId: 'a' }));
      const left = AWKWARD_STRINGS.filter((id) => id !== 'a');
      expect(await openIds(store)).toEqual([...left].sort());
    }));
};

/** Stores do not look at signatures: that is the verifier's business. */
const noteOf = (head: { readonly seq: number; readonly hash: string }): AuditCheckpoint => ({
  version: 1,
  seq: head.seq,
  hash: head.hash,
  at: NOW,
  store: 'the store',
  publicKey: 'public',
  signature: 'signature',
});

const noteAt = async (store: Store, seq: number): Promise<AuditCheckpoint> => {
  const [row] = await allRows(store, seq);
  if (row?.seq !== seq) throw new Error(`There is no row ${seq}.`);
  return noteOf(row);
};

const describePruning = (use: Use): void => {
  const fill = (store: Store, count: number): Promise<unknown> =>
    Promise.all(
      times(count, async (n) => store.audit.append(auditEntry({ executionId: `e${n}` }))),
    );
  const seqs = async (store: Store): Promise<readonly number[]> =>
    (await allRows(store)).map(({ seq }) => seq);

  it('forgets the rows up to the anchor and keeps the rest', () =>
    use(async (store) => {
      await fill(store, 20);
      expect(await store.audit.anchor()).toBeUndefined();
      const head = await store.audit.head();
      const anchor = await noteAt(store, 12);
      expect(await store.audit.prune(anchor)).toBe(12);
      expect(await store.audit.anchor()).toEqual(anchor);
      expect(await seqs(store)).toEqual(times(8, (n) => 13 + n));
      expect(await store.audit.head()).toEqual(head);
      expect((await store.audit.query({ limit: 3 })).map(({ seq }) => seq)).toEqual([20, 19, 18]);
      expect(await store.audit.query({ executionId: 'e11' })).toEqual([]);
      expect(await allRows(store, 15)).toHaveLength(6);
      const further = await noteAt(store, 15);
      expect(await store.audit.prune(further)).toBe(3);
      expect(await store.audit.anchor()).toEqual(further);
    }));

  it('goes on with the chain after everything was pruned', () =>
    use(async (store) => {
      await fill(store, 5);
      const anchor = await noteAt(store, 5);
      expect(await store.audit.prune(anchor)).toBe(5);
      expect(await allRows(store)).toEqual([]);
      expect(await store.audit.query()).toEqual([]);
      expect(await store.audit.head()).toEqual({ seq: 5, hash: anchor.hash });
      await fill(store, 3);
      expect(await seqs(store)).toEqual([6, 7, 8]);
      expect(await store.audit.head()).toMatchObject({ seq: 8 });
      // The same rows in a trail that was never pruned have the same hashes.
      const last = (await store.audit.head())?.hash;
      await use(async (other) => {
        await fill(other, 5);
        await fill(other, 3);
        expect((await other.audit.head())?.hash).toBe(last);
      });
    }));

  it.each([
    ['another hash', (note: AuditCheckpoint) => ({ ...note, hash: 'ab'.repeat(32) })],
    ['a row that is not there yet', (note: AuditCheckpoint) => ({ ...note, seq: 99 })],
    ['a row that is gone', (note: AuditCheckpoint) => ({ ...note, seq: 2 })],
    ['no row', (note: AuditCheckpoint) => ({ ...note, seq: 0, hash: '0'.repeat(64) })],
  ])('refuses an anchor with %s and forgets nothing', (_, change) =>
    use(async (store) => {
      await fill(store, 10);
      const before = await noteAt(store, 3);
      await store.audit.prune(before);
      const wrong = change(await noteAt(store, 7));
      await expect(store.audit.prune(wrong)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await store.audit.anchor()).toEqual(before);
      expect(await seqs(store)).toEqual(times(7, (n) => 4 + n));
    }),
  );

  it('refuses while a call among the rows is open, and not when it is over', () =>
    use(async (store) => {
      await fill(store, 2);
      await store.audit.append(intentEntry('open'));
      await fill(store, 2);
      const anchor = await noteAt(store, 4);
      await expect(store.audit.prune(anchor)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await seqs(store)).toHaveLength(5);
      expect(await store.audit.prune(await noteAt(store, 2))).toBe(2);
      await store.audit.append(auditEntry({ executionId: 'open' }));
      expect(await store.audit.prune(anchor)).toBe(2);
      expect(await seqs(store)).toEqual([5, 6]);
    }));

  it('takes nothing else with it when it is refused', () =>
    use(async (store) => {
      await fill(store, 3);
      const wrong = { ...(await noteAt(store, 2)), hash: 'ab'.repeat(32) };
      const outcomes = await Promise.allSettled([
        store.audit.append(auditEntry({ executionId: 'beside' })),
        store.audit.prune(wrong),
        store.audit.append(auditEntry({ executionId: 'after' })),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await allRows(store)).map(({ executionId }) => executionId).slice(3)).toEqual([
        'beside',
        'after',
      ]);
    }));

  it('keeps a scan in order that is under way meanwhile', () =>
    use(async (store) => {
      await fill(store, 2500);
      const seen: number[] = [];
      for await (const page of store.audit.scan()) {
        seen.push(...page.map(({ seq }) => seq));
        if (seen.length <= 1000) await store.audit.prune(await noteAt(store, 900));
      }
      expect(seen).toEqual(times(2500, (n) => n + 1));
    }));
};

export const describeAudit = (use: Use): void => {
  describe('audit chain', () => describeChain(use));
  describe('audit query', () => describeQuery(use));
  describe('audit pruning', () => describePruning(use));
  describe('intents', () => describeIntents(use));
};
