/** The chain is watched: new rows at once, older ones bit by bit, and never all of it at a time. */
import { describe, expect, it } from 'vitest';
import { auditEntry } from '../../../test/conformance/store-samples.ts';
import { openTestKey } from '../../../test/fixtures/signing-key.ts';
import type { AuditLog, AuditRow } from '../../contract/audit.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { makeAnchor } from './checkpoint.ts';
import { ChainWatch } from './watch-chain.ts';

/** A trail whose rows a test can change under the watch. */
const trail = async (rows: number) => {
  const { audit } = createMemoryStore();
  for (let n = 0; n < rows; n++) await audit.append(auditEntry({ at: n, kind: 'event' }));
  const changed = new Map<number, Partial<AuditRow>>();
  let end = Number.POSITIVE_INFINITY;
  const seen = (row: AuditRow): AuditRow => ({ ...row, ...changed.get(row.seq) });
  const log: Pick<AuditLog, 'scan' | 'query' | 'head' | 'anchor'> = {
    head: () => audit.head(),
    anchor: () => audit.anchor(),
    query: async (filter) => (await audit.query(filter)).filter(({ seq }) => seq <= end).map(seen),
    scan: async function* (from) {
      for await (const page of audit.scan(from)) {
        const rest = page.filter(({ seq }) => seq <= end).map(seen);
        yield rest;
      }
    },
  };
  return {
    audit,
    log,
    changed,
    cut: (seq: number) => {
      end = seq;
    },
  };
};

const NO_KEYS = async () => [];

describe('a watched chain', () => {
  it('is sound while rows are added', async () => {
    const { audit, log } = await trail(5);
    const watch = new ChainWatch({ audit: log, trustedKeys: NO_KEYS, maxRows: 2 });
    for (let n = 0; n < 6; n++) {
      expect(await watch.look()).toBeUndefined();
      await audit.append(auditEntry({ at: 10 + n, kind: 'event' }));
    }
  });

  it('is sound while it is empty', async () => {
    const { log } = await trail(0);
    const watch = new ChainWatch({ audit: log, trustedKeys: NO_KEYS });
    expect([await watch.look(), await watch.look()]).toEqual([undefined, undefined]);
  });

  it('shows an old row that was edited within one round, until it is put right', async () => {
    const { log, changed } = await trail(7);
    const watch = new ChainWatch({ audit: log, trustedKeys: NO_KEYS, maxRows: 2 });
    changed.set(5, { userId: 'mallory' });
    const looks = [];
    for (let n = 0; n < 3; n++) looks.push((await watch.look())?.seq);
    expect(looks).toEqual([undefined, undefined, 5]);
    expect((await watch.look())?.kind).toBe('edited');
    changed.clear();
    for (let n = 0; n < 4; n++) await watch.look();
    expect(await watch.look()).toBeUndefined();
  });

  it('reports a cut-off end at once, and for as long as it is missing', async () => {
    const { log, cut } = await trail(4);
    const watch = new ChainWatch({ audit: log, trustedKeys: NO_KEYS });
    await watch.look();
    cut(2);
    expect((await watch.look())?.kind).toBe('truncated');
    expect((await watch.look())?.kind).toBe('truncated');
  });

  it('shows a newest row that was replaced, and a new one that does not fit', async () => {
    const { audit, log, changed } = await trail(4);
    const watch = new ChainWatch({ audit: log, trustedKeys: NO_KEYS });
    await watch.look();
    changed.set(4, { hash: '0'.repeat(64) });
    expect((await watch.look())?.message).toContain('rewritten');
    changed.clear();
    await watch.look();
    await audit.append(auditEntry({ at: 9, kind: 'event' }));
    changed.set(5, { tool: 'other' });
    expect((await watch.look())?.seq).toBe(5);
  });

  it('stays valid after rows were pruned under a trusted key, and not under another', async () => {
    const { audit, log } = await trail(6);
    const key = openTestKey();
    const watch = new ChainWatch({
      audit: log,
      trustedKeys: async () => [key.publicKey],
      maxRows: 2,
    });
    const stranger = new ChainWatch({ audit: log, trustedKeys: NO_KEYS });
    expect([await watch.look(), await stranger.look()]).toEqual([undefined, undefined]);
    const [row] = await audit.query({ seq: 4, limit: 1 });
    if (!row) throw new Error('There is no row 4.');
    await audit.prune(makeAnchor(row, { at: 1, store: 'memory', key }));
    expect([await watch.look(), await watch.look()]).toEqual([undefined, undefined]);
    expect((await stranger.look())?.kind).toBe('bad-checkpoint');
  });

  it('takes rows for pruned, not for missing, when pruning happens during a look', async () => {
    const { audit, log } = await trail(6);
    const key = openTestKey();
    const [row] = await audit.query({ seq: 3, limit: 1 });
    if (!row) throw new Error('There is no row 3.');
    const pruneFirst: AuditLog['scan'] = async function* (from) {
      if (!(await audit.anchor())) {
        await audit.prune(makeAnchor(row, { at: 1, store: 'memory', key }));
      }
      yield* log.scan(from);
    };
    const watch = new ChainWatch({
      audit: { ...log, scan: pruneFirst },
      trustedKeys: async () => [key.publicKey],
    });
    expect([await watch.look(), await watch.look()]).toEqual([undefined, undefined]);
  });
});
