import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../contract/audit.ts';
import { PackedEntries } from './packed-entries.ts';

const entry = (i: number, over: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'outcome',
  executionId: `call-${i}`,
  at: 1_700_000_000_000 + i,
  tool: 'add',
  version: '1.0.0',
  tier: 'read_only',
  userId: 'ann',
  agentId: '',
  sessionId: '',
  status: 'success',
  code: '',
  durationMs: i / 1000,
  costMicros: i,
  detail: { rule: 'read', input: { a: i } },
  ...over,
});

const packAndTake = (entries: readonly AuditEntry[]): readonly AuditEntry[] => {
  const packed = new PackedEntries();
  for (const one of entries) packed.put(one);
  return packed.take();
};

const many = (count: number, over: (i: number) => Partial<AuditEntry> = () => ({})) =>
  Array.from({ length: count }, (_, i) => entry(i, over(i)));

describe('packed entries', () => {
  it.each([0, 1, 1023, 1024, 1025, 5000])('gives back %i as they were put', (count) => {
    const entries = many(count);
    expect(packAndTake(entries)).toEqual(entries);
  });

  it('is empty once it was taken, and fills again', () => {
    const packed = new PackedEntries();
    for (const one of many(2000)) packed.put(one);
    expect(packed.take()).toHaveLength(2000);
    expect(packed.take()).toEqual([]);
    packed.put(entry(7));
    expect(packed.take()).toEqual([entry(7)]);
  });

  it('tells callers, tools and outcomes apart, however they are mixed', () => {
    const entries = many(3000, (i) => ({
      tool: `tool-${i % 3}`,
      userId: `user-${i % 7}`,
      sessionId: `session-${i % 11}`,
      status: i % 2 ? 'success' : 'failure',
      code: i % 4 ? '' : 'TIMEOUT',
      version: i % 5 ? '1.0.0' : '2.0.0',
      detail: {
        rule: `rule-${i % 13}`,
        input: i,
        ...(i % 3 > 0 && { source: `source-${i % 3}` }),
        policy: 'p',
      },
    }));
    expect(packAndTake(entries)).toEqual(entries);
  });

  it('remembers callers only so far', () => {
    const entries = many(20_000, (i) => ({ userId: `user-${i}` }));
    expect(packAndTake(entries)).toEqual(entries);
  });

  it('keeps ids of any text, and details of any shape', () => {
    const ids = ['', '\n', 'a\nb', '\ud800', '💥', '"', '\u0000'];
    const details = [{}, { rule: 'r' }, { input: 1 }, { rule: 'r', input: null, more: [1] }];
    const entries = many(2048, (i) => ({
      executionId: ids[i % ids.length] as string,
      detail: details[i % details.length] as AuditEntry['detail'],
    }));
    expect(packAndTake(entries)).toEqual(entries);
  });

  it('keeps a block as it is when one of its details has no JSON', () => {
    const endless: Record<string, unknown> = { rule: 'r' };
    endless.self = endless;
    const entries = many(2048, (i) => (i === 5 ? { detail: endless } : {}));
    expect(packAndTake(entries)[5]?.detail).toBe(endless);
    expect(packAndTake(entries)).toHaveLength(2048);
  });

  it('says nothing of an input that is not there', () => {
    const entries = many(1024, () => ({ detail: { rule: 'r', input: undefined } }));
    expect(packAndTake(entries).map(({ detail }) => JSON.stringify(detail))).toEqual(
      entries.map(({ detail }) => JSON.stringify(detail)),
    );
  });

  it('gives back any plain details', () => {
    const detail = fc.dictionary(
      fc.constantFrom('rule', 'input', 'source', 'policy', 'x', '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(fc.array(detail, { minLength: 1, maxLength: 40 }), (details) => {
        const entries = many(1100, (i) => ({
          detail: details[i % details.length] as AuditEntry['detail'],
        }));
        const texts = (all: readonly AuditEntry[]) => all.map((one) => JSON.stringify(one.detail));
        const sorted = (text: string) => [...text].toSorted().join('');
        expect(texts(packAndTake(entries)).map(sorted)).toEqual(texts(entries).map(sorted));
      }),
      { numRuns: 8 },
    );
  });
});
