/**
 * Guarantee Z1: whatever any tool that ships is given, a `ToolResult` comes out, and nothing else
 * happens: no crash, no rejection that nobody handles.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../src/contract/caller.ts';
import type { Crib } from '../../src/contract/crib.ts';
import { isErrorCode } from '../../src/contract/errors.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import type { Tool } from '../../src/contract/tool.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { type Watch, watchConnections } from '../fixtures/local-site.ts';
import { isMissing } from '../fixtures/needed-programs.ts';
import { isFull, sized, TIME_LIMIT } from './size.ts';
import { type FuzzLocation, openFuzzPlace } from './z1-place.ts';

/** Nothing outside is touched: no name has an address. */
vi.mock('node:dns/promises', () => ({
  lookup: async () => {
    throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' });
  },
}));

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

/** A call of these works in a child, which takes much longer than others: in small, fewer. */
const STARTS_CHILDREN = ['query_database', 'type_check', 'run_code'];
const startsChild = ({ name }: Tool): boolean => STARTS_CHILDREN.includes(name);
const startsProgram = ({ needs }: Tool): boolean => needs?.commands !== undefined;
const isSlow = (tool: Tool): boolean => startsProgram(tool) || startsChild(tool);
const runsOf = (tool: Tool): number => sized(startsChild(tool) ? 2 : 15, 10_000);
/**
 * A program takes seconds, and most of what can go wrong has done so before it is started. So the
 * many inputs come from a caller whose programs may run in a container only, of which there is none
 * here; some come from one whose programs do run.
 */
const NO_PROGRAMS = { isolation: 'paranoid' } as const;
const RUNS_WITH_PROGRAM = 100;
const STRINGS_WITH_PROGRAM = 16;
const callerFor = (tool: Tool): Partial<Caller> => (startsProgram(tool) ? NO_PROGRAMS : {});
/** In full, every string goes into every field; in small, into one field of every so manyth tool. */
const shareOf = (tool: Tool): number => (isSlow(tool) ? 144 : 36);
/** Their examples may fail here: for want of a program, a registry, an engine or an earlier call. */
const NOT_RUN_HERE = [
  'bash_execution',
  'npm_install',
  'analyze_code',
  'analyze_dependencies',
  'docker',
  'read_result',
  ...(isMissing('bwrap') ? ['git', 'git_commit', 'git_remote'] : []),
];
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
let place: FuzzLocation;
let watch: Watch;
const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  watch = watchConnections();
  root = await mkdtemp(join(tmpdir(), 'toolcrib-z1-'));
  place = await openFuzzPlace(
    root,
    shipped.map(({ name }) => name),
  );
  crib = place.crib;
}, 120_000);

afterAll(async () => {
  await place?.close();
  watch.stop();
  await rm(root, { recursive: true, force: true });
  process.off('unhandledRejection', note);
}, 120_000);

const listing = await createCrib({ store: 'memory', watch: false });
const shipped = listing.tools.list().map(({ tool }) => tool);
await listing.close();
const byName = shipped.map((tool) => [tool.name, tool] as const);
const withProgram = byName.filter(([, tool]) => startsProgram(tool));

describe('Z1: every tool answers with a result, whatever it is given', {
  timeout: TIME_LIMIT,
}, () => {
  beforeEach(() => place.restore());

  it('the suite has enough inputs', () => {
    expect(shipped.length).toBeGreaterThanOrEqual(24);
    expect(new Set(NAUGHTY).size).toBeGreaterThanOrEqual(400);
    expect(new Set(ALL_TEXTS.map(({ text }) => text)).size).toBeGreaterThanOrEqual(200);
    for (const tool of shipped) expect(place.inputsOf(tool).length).toBeGreaterThan(0);
  });

  it.each(byName)('%s answers its own examples', async (name, tool) => {
    for (const input of place.inputsOf(tool)) {
      const result = await crib.execute(name, input);
      assertIsResult(result);
      if (!NOT_RUN_HERE.includes(name)) expect(result.error).toBeUndefined();
    }
  });

  it.each(byName)('%s answers generated inputs with a result', async (name, tool) => {
    const inputs = fc.oneof(naughty, ...place.inputsOf(tool).map(spoiled));
    const as = callerFor(tool);
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        assertIsResult(await crib.execute(name, input, as));
      }),
      { numRuns: runsOf(tool) },
    );
  });

  it.each(isFull ? withProgram : [])(
    '%s answers with a result when its program is started',
    async (name, tool) => {
      const inputs = fc.oneof(...place.inputsOf(tool).map(spoiled));
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => {
          assertIsResult(await crib.execute(name, input));
        }),
        { numRuns: RUNS_WITH_PROGRAM },
      );
    },
  );

  it.each(byName)('%s answers naughty strings in its fields with a result', async (name, tool) => {
    const places = place
      .inputsOf(tool)
      .flatMap((input) =>
        Array.from({ length: countStrings(input) }, (_, which) => ({ input, which })),
      );
    expect(places.length).toBeGreaterThan(0);
    const as = callerFor(tool);
    const offset = shipped.indexOf(tool);
    for (const [index, text] of NAUGHTY.entries()) {
      if (!isFull && (index + offset) % shareOf(tool) !== 0) continue;
      const one = places.slice(index % places.length).slice(0, 1);
      for (const { input, which } of isFull ? places : one) {
        assertIsResult(await crib.execute(name, withString(input, which, text), as));
      }
      if (!isFull || !startsProgram(tool) || index % STRINGS_WITH_PROGRAM !== 0) continue;
      for (const { input, which } of one) {
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

  it('the record of all calls verifies, and no rejection was left unhandled', async () => {
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('no host outside this machine was contacted', () => {
    const local = /^(?:127\.\d+\.\d+\.\d+|::1|\/.*)$/;
    expect(watch.attempts.length).toBeGreaterThan(0);
    expect(watch.attempts.filter((address) => !local.test(address))).toEqual([]);
  });
});
