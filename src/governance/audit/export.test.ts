/** Exports and archives: verifiable by themselves, and harmless in a spreadsheet. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  AWKWARD_STRINGS,
  auditEntry,
  NOW,
  times,
} from '../../../test/conformance/store-samples.ts';
import type { AuditRow } from '../../contract/audit.ts';
import type { Store } from '../../contract/store.ts';
import { createMemoryStore } from '../../stores/memory/create-memory-store.ts';
import { openSigningKey, type SigningKey } from '../signing/open-signing-key.ts';
import { anchorLine, auditLine, parseAnchorLine, parseAuditLine } from './audit-line.ts';
import { makeAnchor, makeCheckpoint } from './checkpoint.ts';
import { CSV_HEAD, csvLine, type ExportOptions, exportAudit, isWhole } from './export-audit.ts';
import { openAuditFile, verifyAuditFiles } from './verify-audit-files.ts';

let folder = '';
let file = '';
let key: SigningKey;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-export-'));
  file = join(folder, 'export.jsonl');
  key = await openSigningKey(join(folder, 'key.pem'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const filled = async (length: number): Promise<Store> => {
  const store = createMemoryStore();
  for (const n of times(length, (i) => i)) {
    await store.audit.append(
      auditEntry({
        executionId: `e${n}`,
        at: NOW + n,
        userId: AWKWARD_STRINGS[n % AWKWARD_STRINGS.length] ?? '',
        detail: { n, text: '\u2028\u2029\r\n\u0085', ['__proto__']: n },
      }),
    );
  }
  return store;
};

let exportedRows = 0;
const exported = async (store: Store, options: ExportOptions = { format: 'jsonl' }) => {
  let text = '';
  let rows = 0;
  for await (const part of exportAudit(store.audit, options)) {
    text += part.text;
    rows += part.rows;
  }
  exportedRows = rows;
  return text;
};

const facts = () => ({ at: NOW, store: 'store', key });
const trust = () => ({ trustedKeys: [key.publicKey] });
const cutAt = async (store: Store, seq: number) => {
  const [row] = await store.audit.query({ before: seq + 1, limit: 1 });
  return makeAnchor(row as AuditRow, facts());
};

/** The dot of a pattern stops at U+2028; lines do not. */
const without = (text: string, line: number): string =>
  text.split('\n').toSpliced(line, 1).join('\n');

describe('an export as JSON Lines', () => {
  it('can be verified by itself, offline', async () => {
    const store = await filled(1203);
    const seen: number[] = [];
    const text = await exported(store, { format: 'jsonl', onRows: (n) => void seen.push(n) });
    writeFileSync(file, text);
    const report = await verifyAuditFiles(
      { files: [file] },
      { expected: await store.audit.head(), onRows: (n) => void seen.push(n) },
    );
    expect(report).toEqual({ ok: true, rows: 1203, head: await store.audit.head() });
    expect(seen).toEqual([1000, 1203, 500, 1000, 1203]);
    writeFileSync(file, text.slice(0, -1));
    expect(await verifyAuditFiles({ files: [file] })).toMatchObject({ ok: true, rows: 1203 });
  });

  it.each([
    ['an edited row', (text: string) => text.replace('"calculator"', '"other"'), 'edited', 1],
    ['a key twice', (text: string) => text.replace('"at":', '"at":1,"at":'), 'edited', 1],
    ['white space', (text: string) => text.replace('"at":', '"at": '), 'edited', 1],
    ['a further key', (text: string) => text.replace('{', '{"x":1,'), 'edited', 1],
    ['a row cut short', (text: string) => text.slice(0, -20), 'edited', 40],
    ['a row removed', (text: string) => without(text, 7), 'gap', 8],
    ['the beginning removed', (text: string) => without(text, 0), 'bad-start', 2],
    ['an empty line', (text: string) => text.replace('\n', '\n\n'), 'edited', 2],
    ['a byte order mark', (text: string) => `\ufeff${text}`, 'edited', 1],
    ['the end removed', (text: string) => without(text, 39), 'truncated', 40],
    ['everything removed', () => '', 'truncated', 1],
  ])('A1: shows %s', async (_, tamper, kind, seq) => {
    const store = await filled(40);
    writeFileSync(file, tamper(await exported(store)));
    const checkpoints = [makeCheckpoint(await store.audit.head(), facts())];
    const report = await verifyAuditFiles({ files: [file] }, { checkpoints, ...trust() });
    expect(report.problem).toMatchObject({ kind, seq });
  });

  it('shows bytes that are no text, and lines without end', async () => {
    const store = await filled(3);
    writeFileSync(file, await exported(store));
    appendFileSync(file, Buffer.from([0xff, 0xfe, 0x0a]));
    const report = await verifyAuditFiles({ files: [file] });
    expect(report).toMatchObject({ rows: 3, problem: { kind: 'edited', seq: 4 } });
    expect(report.problem?.message).toMatch(/Line 4 of the file/);
    writeFileSync(file, 'x'.repeat(300_000));
    const opened = await openAuditFile(file, 1000);
    for await (const page of opened.rows())
      expect(page).toEqual([{ unreadable: expect.any(String) }]);
    expect(opened.firstSeq).toBe(Number.POSITIVE_INFINITY);
    writeFileSync(file, Buffer.from([0xff]));
    expect((await openAuditFile(file)).anchor).toBeUndefined();
  });

  it('says when the file is not there', async () => {
    const missing = verifyAuditFiles({ files: [join(folder, 'none')] });
    await expect(missing).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('carries the anchor of a pruned trail', async () => {
    const store = await filled(30);
    const anchor = await cutAt(store, 12);
    await store.audit.prune(anchor);
    const text = await exported(store);
    expect(text.split('\n')[0]).toBe(anchorLine(anchor));
    writeFileSync(file, text);
    expect(await verifyAuditFiles({ files: [file] }, trust())).toMatchObject({
      ok: true,
      rows: 18,
    });
    expect(await verifyAuditFiles({ files: [file] })).toMatchObject({
      problem: { kind: 'bad-checkpoint', seq: 12 },
    });
    writeFileSync(file, without(text, 0));
    expect(await verifyAuditFiles({ files: [file] }, trust())).toMatchObject({
      problem: { kind: 'bad-start' },
    });
    writeFileSync(file, text.replace('"seq":12', '"seq": 12'));
    expect(await verifyAuditFiles({ files: [file] }, trust())).toMatchObject({ ok: false });
  });

  it('reads back whatever was appended', () =>
    fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.string({ unit: 'binary' }),
        async (detail, tool) => {
          const store = createMemoryStore();
          await store.audit.append(auditEntry({ detail, tool }));
          const [row] = await store.audit.query();
          expect(parseAuditLine(auditLine(row as AuditRow))).toEqual(row);
        },
      ),
      { numRuns: 200 },
    ));

  it.each(['', 'null', '7', '[]', '{}', '{"seq":1}', '{"detail":null}'])(
    'takes %j for no row',
    (text) => {
      expect(parseAuditLine(text)).toBeUndefined();
      expect(parseAnchorLine(text)).toBeUndefined();
      expect(parseAnchorLine(`{"anchor":${text}}`)).toBeUndefined();
    },
  );

  it.each(['seq', 'tool', 'detail'])('takes a row without its %s for none', async (part) => {
    const store = await filled(1);
    const { [part]: _, ...rest } = JSON.parse(await exported(store)) as Record<string, unknown>;
    expect(parseAuditLine(JSON.stringify(rest))).toBeUndefined();
  });
});

describe('archives and the trail they were cut from', () => {
  /** Three files and a trail: rows 1-10, 11-20, 21-30, and the rest. */
  const cutInPieces = async (): Promise<{ store: Store; files: string[] }> => {
    const store = await filled(40);
    const files: string[] = [];
    for (const seq of [10, 20, 30]) {
      const lines = (await exported(store)).split('\n');
      const begin = await store.audit.anchor();
      const name = join(folder, `${seq}.jsonl`);
      writeFileSync(name, `${lines.slice(0, begin ? 11 : 10).join('\n')}\n`);
      files.push(name);
      await store.audit.prune(await cutAt(store, seq));
    }
    return { store, files };
  };

  it('are one chain, in whatever order they are named', async () => {
    const { store, files } = await cutInPieces();
    const log = store.audit;
    const report = await verifyAuditFiles({ files: files.toReversed(), log }, trust());
    expect(report).toEqual({ ok: true, rows: 40, head: await log.head() });
    expect(await verifyAuditFiles({ files: files.slice(1), log }, trust())).toMatchObject({
      ok: true,
      rows: 30,
    });
  });

  it('A1: show an edit in an archive, one that is missing, and one cut short', async () => {
    const { store, files } = await cutInPieces();
    const log = store.audit;
    const [first = '', second = '', third = ''] = files;
    expect(await verifyAuditFiles({ files: [first, third], log }, trust())).toMatchObject({
      problem: { kind: 'gap', seq: 11 },
    });
    const text = readFileSync(second, 'utf8');
    writeFileSync(second, text.replace('"calculator"', '"eve"'));
    expect(await verifyAuditFiles({ files, log }, trust())).toMatchObject({
      problem: { kind: 'edited', seq: 11 },
    });
    writeFileSync(second, text);
    // Nothing is left of the trail but its anchor: the end of the last archive must be it.
    await log.prune(await cutAt(store, 40));
    writeFileSync(join(folder, '40.jsonl'), '');
    expect(await verifyAuditFiles({ files, log }, trust())).toMatchObject({
      problem: { kind: 'truncated', seq: 31 },
    });
  });
});

describe('an export with a filter', () => {
  it.each<[string, NonNullable<ExportOptions['filter']>, number]>([
    ['nothing', {}, 40],
    ['user', { userId: 'A' }, 2],
    ['agent', { agentId: 'agent-1' }, 40],
    ['another agent', { agentId: 'agent-2' }, 0],
    ['session', { sessionId: 'session-1' }, 40],
    ['code', { code: 'TIMEOUT' }, 0],
    ['tool', { tool: 'calculator' }, 40],
    ['tier', { tier: 'write' }, 0],
    ['status', { status: 'success' }, 40],
    ['kind', { kind: 'intent' }, 0],
    ['execution', { executionId: 'e7' }, 1],
    ['dates', { from: NOW + 10, to: NOW + 15 }, 5],
  ])('by %s', async (_, filter, count) => {
    const text = await exported(await filled(40), { format: 'jsonl', filter });
    expect(text.split('\n')).toHaveLength(count + 1);
    expect(exportedRows).toBe(count);
  });

  it('is not whole, and does not pretend to be', async () => {
    expect([isWhole({}), isWhole({ tool: 'a' })]).toEqual([true, false]);
    const store = await filled(10);
    await store.audit.prune(await cutAt(store, 4));
    expect(await exported(store, { format: 'jsonl', filter: { kind: 'outcome' } })).not.toContain(
      'anchor',
    );
  });
});

const row = async (parts: Partial<AuditRow>): Promise<AuditRow> => {
  const store = createMemoryStore();
  await store.audit.append(auditEntry());
  return { ...((await store.audit.query())[0] as AuditRow), ...parts };
};

describe('an export as CSV', () => {
  it('has a header, one line a row, and a byte order mark on request', async () => {
    const store = await filled(3);
    const text = await exported(store, { format: 'csv' });
    expect(text.startsWith(`${CSV_HEAD}\r\n1,2025-11-15T09:46:40.000Z,outcome,e0,`)).toBe(true);
    expect(text.endsWith('\r\n')).toBe(true);
    expect(await exported(store, { format: 'csv', bom: true })).toBe(`\ufeff${text}`);
  });

  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '\tplain',
    '＝1',
    '＋1',
    '－1',
    '＠A',
    ' =1',
    '\ufeff=1',
    '\u200b=1',
    '\u0000=1',
    '\u00a0=cmd|"/c calc"!A1',
  ])('defuses the formula %j', async (tool) => {
    const line = csvLine(await row({ tool, executionId: 'x' }));
    const quoted = tool.replaceAll('"', '""');
    expect(line).toMatch(/,x,"?'/);
    expect(line).toContain(`'${quoted}`);
  });

  it.each(['plain', 'a=b', 'a-b', '1', "'", 'ä', '😀', ''])('leaves %j alone', async (tool) => {
    expect(csvLine(await row({ tool, executionId: 'x' }))).toContain(`,x,${tool},1.0.0,`);
  });

  it.each([
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['a"b', '"a""b"'],
    ['a\nb', '"a\nb"'],
    ['a\r\nb', '"a\r\nb"'],
  ])('quotes %j', async (tool, cell) => {
    expect(csvLine(await row({ tool, executionId: 'x' }))).toContain(`,x,${cell},1.0.0,`);
  });

  it('writes times beyond the calendar as numbers', async () => {
    expect(csvLine(await row({ at: 9e15 }))).toContain(',9000000000000000,');
  });
});
