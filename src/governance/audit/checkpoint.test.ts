/** Checkpoints and anchors: the documented text, strict reading, and no trust without a trusted key. */
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEntry, NOW, times } from '../../../test/conformance/store-samples.ts';
import type { AuditCheckpoint, AuditLog, AuditRow } from '../../contract/audit.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { openSigningKey, type SigningKey } from '../signing/open-signing-key.ts';
import {
  checkCheckpoint,
  checkpointText,
  makeAnchor,
  makeCheckpoint,
  parseCheckpoint,
} from './checkpoint.ts';
import { parseCheckpoints, recallCheckpoints, rememberCheckpoint } from './checkpoint-book.ts';
import { verifyAuditLog } from './verify-audit.ts';

const LENGTH = 30;

let folder = '';
let key: SigningKey;
let stranger: SigningKey;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-checkpoint-'));
  key = await openSigningKey(join(folder, 'key.pem'));
  stranger = await openSigningKey(join(folder, 'stranger.pem'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const facts = (by: SigningKey = key) => ({ at: NOW + 0.5, store: 'the "store"\n', key: by });
const head = { seq: 7, hash: 'ab'.repeat(32) };

describe('a checkpoint', () => {
  it('is signed over the documented text, and others can verify it', () => {
    const note = makeCheckpoint(head, facts());
    const text = `toolcrib audit checkpoint 1\nseq 7\nhash ${head.hash}\nat ${NOW}\nstore "the \\"store\\"\\n"\nkey ${key.publicKey}\n`;
    expect(checkpointText(note)).toBe(text);
    const x = Buffer.from(key.publicKey, 'base64').toString('base64url');
    const other = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(text), other, Buffer.from(note.signature, 'base64'))).toBe(
      true,
    );
    expect(makeCheckpoint(undefined, facts())).toMatchObject({ seq: 0, hash: '0'.repeat(64) });
  });

  it('counts with a trusted key alone', () => {
    const note = makeCheckpoint(head, facts());
    expect(checkCheckpoint(note, [stranger.publicKey, key.publicKey])).toBeUndefined();
    expect(checkCheckpoint(note, [])).toMatch(/not trusted/);
    expect(checkCheckpoint(note, [stranger.publicKey])).toMatch(/not trusted/);
    const claimed = { ...makeCheckpoint(head, facts(stranger)), publicKey: key.publicKey };
    expect(checkCheckpoint(claimed, [key.publicKey])).toMatch(/forged/);
  });

  it.each(['seq', 'hash', 'at', 'store', 'signature'] as const)('shows an edited %s', (part) => {
    const note = makeCheckpoint(head, facts());
    const other = makeCheckpoint({ seq: 8, hash: 'cd'.repeat(32) }, { at: 1, store: 'b', key });
    expect(checkCheckpoint({ ...note, [part]: other[part] }, [key.publicKey])).toMatch(/forged/);
  });

  it('is no anchor, and an anchor is no checkpoint', () => {
    const trusted = [key.publicKey];
    expect(checkCheckpoint(makeAnchor(head, facts()), trusted, 'anchor')).toBeUndefined();
    expect(checkCheckpoint(makeAnchor(head, facts()), trusted)).toMatch(/forged/);
    expect(checkCheckpoint(makeCheckpoint(head, facts()), trusted, 'anchor')).toMatch(/forged/);
  });
});

const bad = (change: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...makeCheckpoint(head, facts()), ...change });

describe('reading a checkpoint', () => {
  it('gives back what was printed', () => {
    const note = makeCheckpoint(head, facts());
    expect(parseCheckpoint(JSON.stringify(note))).toEqual(note);
    expect(parseCheckpoint(JSON.stringify(note, null, 2))).toEqual(note);
  });

  it.each([
    ['nothing', () => '', /not a JSON object/],
    ['text', () => '"text"', /not a JSON object/],
    ['null', () => 'null', /not a JSON object/],
    ['a list', () => '[]', /not a JSON object/],
    ['far too much', () => bad({ store: 'x'.repeat(20_000) }), /not a JSON object/],
    ['another part', () => bad({ more: 1 }), /no checkpoint has/],
    ['a prototype', () => `{"__proto__":{},${bad({}).slice(1)}`, /no checkpoint has/],
    ['another version', () => bad({ version: 2 }), /"version"/],
    ['no seq', () => bad({ seq: undefined }), /"seq"/],
    ['half a seq', () => bad({ seq: 1.5 }), /"seq"/],
    ['a negative seq', () => bad({ seq: -1 }), /"seq"/],
    ['a seq as text', () => bad({ seq: '7' }), /"seq"/],
    ['a short hash', () => bad({ hash: 'ab' }), /"hash"/],
    ['a hash in capitals', () => bad({ hash: 'AB'.repeat(32) }), /"hash"/],
    ['a hash that is none', () => bad({ hash: 7 }), /"hash"/],
    ['no time', () => bad({ at: null }), /"at"/],
    ['no store', () => bad({ store: 7 }), /"store"/],
    ['a short key', () => bad({ publicKey: 'AAAA' }), /"publicKey"/],
    ['a key that is none', () => bad({ publicKey: 7 }), /"publicKey"/],
    ['no signature', () => bad({ signature: '' }), /"signature"/],
    ['a signature that is none', () => bad({ signature: {} }), /"signature"/],
  ])('refuses %s with a reason', (_, text, message) => {
    expect(() => parseCheckpoint(text())).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(message),
      }),
    );
  });
});

describe('remembered checkpoints', () => {
  it('are kept one a line, in private, and recalled for their store', async () => {
    const file = join(folder, 'new', 'checkpoints.jsonl');
    expect(await recallCheckpoints(file, 'a')).toEqual([]);
    const notes = times(3, (n) => makeCheckpoint({ ...head, seq: n }, { at: n, store: 'a', key }));
    for (const note of notes) await rememberCheckpoint(file, note);
    await rememberCheckpoint(file, makeCheckpoint(head, { at: 1, store: 'b', key }));
    expect(await recallCheckpoints(file, 'a')).toEqual(notes);
    expect(await recallCheckpoints(file, 'c')).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5);
  });

  it('are not written through a link, and a bad line is named', async () => {
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
    const note = makeCheckpoint(head, facts());
    await expect(rememberCheckpoint(join(folder, 'link'), note)).rejects.toThrow(/ELOOP/);
    await expect(recallCheckpoints(folder, 'a')).rejects.toThrow(/EISDIR/);
    writeFileSync(join(folder, 'bad'), `${JSON.stringify(note)}\n\n{}\n`);
    await expect(recallCheckpoints(join(folder, 'bad'), 'a')).rejects.toThrow(/^Line 3: /);
    expect(parseCheckpoints('\n \n')).toEqual([]);
  });
});

/** A log over rows that somebody tampered with. */
const logOf = (rows: readonly AuditRow[], anchor?: AuditCheckpoint): AuditLog =>
  ({
    async *scan() {
      yield rows.slice(0, 7);
      yield rows.slice(7);
    },
    anchor: async () => anchor,
  }) as Partial<AuditLog> as AuditLog;

const rowsOf = async (length: number, userId = 'alice'): Promise<readonly AuditRow[]> => {
  const { audit } = createMemoryStore();
  for (const n of times(length, (i) => i)) {
    await audit.append(auditEntry({ executionId: `e${n}`, userId }));
  }
  return (await audit.query()).toReversed();
};

const at = (rows: readonly AuditRow[], seq: number): AuditRow => rows[seq - 1] as AuditRow;
const trust = () => ({ trustedKeys: [key.publicKey] });

describe('verification beside checkpoints', () => {
  it('A1: raises no alarm on a trail that has grown since', async () => {
    const rows = await rowsOf(LENGTH);
    const checkpoints = [undefined, at(rows, 5), at(rows, 5), at(rows, LENGTH)].map((one) =>
      makeCheckpoint(one, facts()),
    );
    const report = await verifyAuditLog(logOf(rows), { checkpoints, ...trust() });
    expect(report).toMatchObject({ ok: true, rows: LENGTH });
  });

  it('A1: finds a whole rewrite with fresh hashes', async () => {
    const [rows, rewritten] = [await rowsOf(LENGTH), await rowsOf(LENGTH + 5, 'eve')];
    expect(await verifyAuditLog(logOf(rewritten))).toMatchObject({ ok: true });
    const checkpoints = [makeCheckpoint(at(rows, 20), facts())];
    const report = await verifyAuditLog(logOf(rewritten), { checkpoints, ...trust() });
    expect(report).toMatchObject({ ok: false, rows: 19, problem: { kind: 'edited', seq: 20 } });
    expect(report.problem?.message).toMatch(/rewritten/);
  });

  it('A1: holds a row to every checkpoint of it, not to one', async () => {
    const rows = await rowsOf(LENGTH);
    const other = { seq: 9, hash: at(rows, 8).hash };
    const checkpoints = [at(rows, 9), other].map((one) => makeCheckpoint(one, facts()));
    for (const notes of [checkpoints, checkpoints.toReversed()]) {
      const report = await verifyAuditLog(logOf(rows), { checkpoints: notes, ...trust() });
      expect(report.problem).toMatchObject({ kind: 'edited', seq: 9 });
    }
  });

  it('A1: finds a restored older file and a cut-off end', async () => {
    const rows = await rowsOf(LENGTH);
    const checkpoints = [3, LENGTH].map((seq) => makeCheckpoint(at(rows, seq), facts()));
    const report = await verifyAuditLog(logOf(rows.slice(0, 20)), { checkpoints, ...trust() });
    expect(report).toMatchObject({ ok: false, rows: 20, problem: { kind: 'truncated', seq: 21 } });
  });

  it('A1: finds a forged or foreign checkpoint', async () => {
    const rows = await rowsOf(LENGTH);
    const note = makeCheckpoint(at(rows, 9), facts());
    const forged = { ...note, hash: at(rows, 8).hash };
    const foreign = makeCheckpoint(at(rows, 9), facts(stranger));
    for (const one of [forged, foreign, makeAnchor(at(rows, 9), facts())]) {
      const report = await verifyAuditLog(logOf(rows), { checkpoints: [note, one], ...trust() });
      expect(report).toMatchObject({ ok: false, problem: { kind: 'bad-checkpoint', seq: 9 } });
    }
    const untrusted = await verifyAuditLog(logOf(rows), { checkpoints: [note] });
    expect(untrusted.problem?.message).toMatch(/not trusted/);
  });

  it('begins after a signed anchor, and holds it to earlier checkpoints', async () => {
    const rows = await rowsOf(LENGTH);
    const anchor = makeAnchor(at(rows, 10), facts());
    const pruned = logOf(rows.slice(10), anchor);
    const seen: number[] = [];
    const checkpoints = [2, 10, 15].map((seq) => makeCheckpoint(at(rows, seq), facts()));
    const onRows = (count: number) => void seen.push(count);
    expect(await verifyAuditLog(pruned, { checkpoints, onRows, ...trust() })).toEqual({
      ok: true,
      rows: LENGTH - 10,
      head: { seq: LENGTH, hash: at(rows, LENGTH).hash },
    });
    expect(seen).toEqual([7, LENGTH - 10]);
    const empty = await verifyAuditLog(logOf([], anchor), trust());
    expect(empty).toEqual({ ok: true, rows: 0, head: { seq: 10, hash: anchor.hash } });
    const other = makeCheckpoint({ seq: 10, hash: at(rows, 11).hash }, facts());
    const report = await verifyAuditLog(pruned, { checkpoints: [other], ...trust() });
    expect(report.problem).toMatchObject({ kind: 'edited', seq: 10 });
  });

  it('A1: finds a forged anchor, a checkpoint in its place, and rows missing after it', async () => {
    const rows = await rowsOf(LENGTH);
    const anchor = makeAnchor(at(rows, 10), facts());
    const kindOf = async (log: AuditLog) => (await verifyAuditLog(log, trust())).problem?.kind;
    const rest = rows.slice(10);
    expect(await kindOf(logOf(rest, { ...anchor, seq: 10, at: 1 }))).toBe('bad-checkpoint');
    expect(await kindOf(logOf(rest, makeAnchor(at(rows, 10), facts(stranger))))).toBe(
      'bad-checkpoint',
    );
    const note = makeCheckpoint(at(rows, 10), facts());
    expect(await kindOf(logOf(rest, note))).toBe('bad-checkpoint');
    expect(await kindOf(logOf(rest))).toBe('bad-start');
    expect(await kindOf(logOf(rows.slice(12), anchor))).toBe('bad-start');
    expect(await kindOf(logOf(rows.slice(9), anchor))).toBe('bad-start');
    expect(await kindOf(logOf(rest.toSpliced(0, 1, { ...at(rows, 11), tool: 'x' }), anchor))).toBe(
      'edited',
    );
  });

  it('starts again when the trail is pruned meanwhile, and gives up after some tries', async () => {
    const rows = await rowsOf(LENGTH);
    let cut = 0;
    let scans = 0;
    /** Prunes two rows after every look at the anchor, `until` there are enough. */
    const restless = (until: number): AuditLog =>
      ({
        anchor: async () => {
          const now = cut;
          cut = Math.min(cut + 2, until);
          return now === 0 ? undefined : makeAnchor(at(rows, now), facts());
        },
        async *scan() {
          scans += 1;
          yield rows.slice(cut);
        },
      }) as Partial<AuditLog> as AuditLog;
    expect(await verifyAuditLog(restless(4), trust())).toMatchObject({ ok: true });
    expect(scans).toBeGreaterThan(1);
    cut = 0;
    expect(await verifyAuditLog(restless(LENGTH), trust())).toMatchObject({ ok: false });
  });

  it('does not take signatures of another scheme', () => {
    const { privateKey } = generateKeyPairSync('ed448');
    const note = makeCheckpoint(head, facts());
    const signature = sign(null, Buffer.from(checkpointText(note)), privateKey).toString('base64');
    expect(checkCheckpoint({ ...note, signature }, [key.publicKey])).toMatch(/forged/);
  });
});
