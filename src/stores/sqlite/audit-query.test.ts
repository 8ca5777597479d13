/** Searching a long trail: steps, limits and times that do not rise, on more rows than one step reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEntry, NOW, times } from '../../../test/conformance/store-samples.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

const ROWS = 45_000;
const RARE = 9_000;

let store: Store;

beforeAll(async () => {
  store = await createSqliteStore({ path: ':memory:', runtime: createRuntime() });
  await Promise.all(
    times(ROWS, async (n) =>
      store.audit.append(
        auditEntry({
          userId: n % RARE === 0 ? 'rare' : 'alice',
          // Two clocks, an hour apart.
          at: NOW + n * 10 - (n % 2) * 3_600_000,
        }),
      ),
    ),
  );
});
afterAll(() => store.close());

describe('audit query on many rows', () => {
  it('finds rare rows in every step', async () => {
    const found = await store.audit.query({ userId: 'rare' });
    expect(found.map(({ seq }) => seq)).toEqual([36_001, 27_001, 18_001, 9_001, 1]);
  });

  it('stops at the limit, in the middle of a step or across steps', async () => {
    const seqs = async (limit: number) =>
      (await store.audit.query({ userId: 'rare', limit })).map(({ seq }) => seq);
    expect(await seqs(1)).toEqual([36_001]);
    expect(await seqs(4)).toEqual([36_001, 27_001, 18_001, 9_001]);
    expect(await store.audit.query({ limit: 25_000 })).toHaveLength(25_000);
  });

  it('finds every row of a time, though times do not rise with the rows', async () => {
    const range = { from: NOW + 100_000, to: NOW + 100_100 };
    const expected = times(ROWS, (n) => ({ seq: n + 1, at: NOW + n * 10 - (n % 2) * 3_600_000 }))
      .filter(({ at }) => at >= range.from && at < range.to)
      .map(({ seq }) => seq)
      .reverse();
    const found = await store.audit.query(range);
    expect(found.map(({ seq }) => seq)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  it('lets others have their turn while it searches', async () => {
    let turns = 0;
    let isSearching = true;
    const take = () => {
      turns += 1;
      if (isSearching) setImmediate(take);
    };
    setImmediate(take);
    await store.audit.query({ userId: 'nobody' });
    // Read before anything else can run: a search in one piece leaves it at 0.
    const during = turns;
    isSearching = false;
    expect(during).toBeGreaterThanOrEqual(2);
  });

  it('uses the index for one execution', async () => {
    await store.audit.append(auditEntry({ executionId: 'one' }));
    const found = await store.audit.query({ executionId: 'one' });
    expect(found.map(({ seq }) => seq)).toEqual([ROWS + 1]);
  });
});
