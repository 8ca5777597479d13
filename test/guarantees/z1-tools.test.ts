/**
 * Guarantee Z1: whatever any tool that ships is given, a `ToolResult` comes out, and nothing else
 * happens: no crash, no rejection that nobody handles.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Crib } from '../../src/contract/crib.ts';
import { isErrorCode } from '../../src/contract/errors.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { createCrib } from '../../src/crib.ts';
import { isFull, sized, TIME_LIMIT } from './size.ts';

interface JsonTexts {
  readonly texts: readonly { readonly text: string; readonly valid: boolean }[];
  readonly repeated: readonly {
    readonly open: string;
    readonly close: string;
    readonly times: number;
    readonly valid: boolean;
  }[];
}

const dataFile = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

const RUNS = sized(200, 10_000);
const STATUSES = ['success', 'failure', 'timeout', 'cancelled', 'denied', 'pending'];
const NAUGHTY = dataFile('z1-naughty-strings.json') as readonly string[];
const JSON_TEXTS = dataFile('z1-json-texts.json') as JsonTexts;
const ALL_TEXTS = [
  ...JSON_TEXTS.texts,
  ...JSON_TEXTS.repeated.map(({ open, close, times, valid }) => ({
    text: `${open.repeat(times)}1${close.repeat(times)}`,
    valid,
  })),
];

const naughty = fc.oneof(
  fc.constantFrom(...NAUGHTY),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
  fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY, 2n ** 70n, -0, 1e308),
  fc.constantFrom<unknown>(() => 1, Symbol('s'), new Date(Number.NaN), new Map([[1, 2]]), /x/),
);

/** The input of an example with some of its values, at any depth, replaced by something nasty. */
const spoiled = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value)) {
    return fc.oneof(
      { weight: 3, arbitrary: fc.tuple(...value.map(spoiled)) },
      { weight: 1, arbitrary: fc.array(naughty, { maxLength: 4 }) },
    );
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, item]) => [key, spoiled(item)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }
  return fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: naughty });
};

const assertIsResult = (result: ToolResult): void => {
  if (!STATUSES.includes(result.status)) expect(STATUSES).toContain(result.status);
  expect(result.success).toBe(result.status === 'success');
  expect(result.metadata.executionId).not.toBe('');
  if (!result.success) {
    expect(isErrorCode(result.error?.code)).toBe(true);
    expect(result.error?.code).not.toBe('INTERNAL');
  }
  expect(typeof JSON.stringify(result)).toBe('string');
};

/** The example with one of its strings, at any depth, replaced. */
const withString = (input: unknown, which: number, text: string): unknown => {
  let seen = 0;
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return seen++ === which ? text : value;
    if (Array.isArray(value)) return value.map(replace);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item)]));
  };
  return replace(input);
};

const countStrings = (value: unknown): number => {
  if (typeof value === 'string') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + countStrings(item), 0);
};

let root: string;
let crib: Crib;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  root = await mkdtemp(join(tmpdir(), 'toolcrib-z1-'));
  crib = await createCrib({ root, store: 'memory', approver: () => true });
});

afterAll(async () => {
  await crib.close();
  await rm(root, { recursive: true, force: true });
  process.off('unhandledRejection', note);
});

const shipped = (await createCrib({ store: 'memory' })).tools.list().map(({ tool }) => tool);
const byName = shipped.map((tool) => [tool.name, tool] as const);

describe('Z1: every tool answers with a result, whatever it is given', {
  timeout: TIME_LIMIT,
}, () => {
  it('is tried with enough', () => {
    expect(shipped.length).toBeGreaterThanOrEqual(11);
    expect(new Set(NAUGHTY).size).toBeGreaterThanOrEqual(400);
    expect(new Set(ALL_TEXTS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(200);
    for (const tool of shipped) expect(tool.examples?.length).toBeGreaterThan(0);
  });

  it.each(byName)('%s', async (name, tool) => {
    const inputs = fc.oneof(naughty, ...(tool.examples ?? []).map(({ input }) => spoiled(input)));
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => assertIsResult(await crib.execute(name, input))),
      { numRuns: RUNS },
    );
  });

  it.each(byName)('%s, with naughty strings in its fields', async (name, tool) => {
    const places = (tool.examples ?? []).flatMap(({ input }) =>
      Array.from({ length: countStrings(input) }, (_, which) => ({ input, which })),
    );
    expect(places.length).toBeGreaterThan(0);
    const offset = shipped.indexOf(tool);
    for (const [index, text] of NAUGHTY.entries()) {
      // In full, every string goes into every field; in small, into one field of every fourth tool.
      if (!isFull && (index + offset) % 4 !== 0) continue;
      const chosen = isFull ? places : places.slice(index % places.length).slice(0, 1);
      for (const { input, which } of chosen) {
        assertIsResult(await crib.execute(name, withString(input, which, text)));
      }
    }
  });

  it('validate_json says of every text what the standard says', async () => {
    const wrong: string[] = [];
    for (const { text, valid } of ALL_TEXTS) {
      const result = await crib.execute('validate_json', { data: text });
      assertIsResult(result);
      const report = result.data as { valid: boolean };
      if (report.valid !== valid) wrong.push(text.slice(0, 80));
    }
    expect(wrong).toEqual([]);
  });

  it('json_parser and validate_yaml answer for every JSON text', async () => {
    for (const [index, { text }] of ALL_TEXTS.entries()) {
      if (isFull || index % 2 === 0) assertIsResult(await crib.execute('json_parser', { text }));
      if (isFull || index % 2 === 1)
        assertIsResult(await crib.execute('validate_yaml', { data: text }));
    }
  });

  it('and the record of all of it is whole, and nothing was left unhandled', async () => {
    expect(await crib.verifyAudit()).toMatchObject({ ok: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });
});
