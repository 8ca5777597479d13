/** Threat: a caller's schema keeps the processor busy, and every other caller waits. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { longestHold, MAX_HOLD_MS } from '../../../test/fixtures/longest-hold.ts';
import { runTool } from '../../../test/fixtures/run-tool.ts';
import { fakeContext } from '../../../test/fixtures/tool-context.ts';
import { sized } from '../../../test/guarantees/size.ts';
import { jsonParser } from './json-parser.ts';
import { validateJson } from './validate-json.ts';

/** About 150 kB, which ajv compiles for about a second. */
const largeSchema = () => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 1500 }, (_, n) => [
      `property${n}`,
      {
        anyOf: [
          { type: 'string', minLength: n },
          { type: 'integer', maximum: n },
        ],
      },
    ]),
  ),
});

/** Small, and never done: each level refers to the next one twice. */
const endlessSchema = () => ({
  $defs: Object.fromEntries(
    Array.from({ length: 45 }, (_, n) => [
      `d${n}`,
      n === 44
        ? { type: 'integer' }
        : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  ),
  $ref: '#/$defs/d0',
});

beforeAll(async () => {
  // Loads the compiler that work modules need when they are run from sources.
  await runTool(validateJson, { data: ' '.repeat(30_000) }, fakeContext());
}, 60_000);

/** Multiplies every time limit; returns those that were asked for. */
const scaleLimits = (factor: number): readonly number[] => {
  const asked: number[] = [];
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    asked.push(ms);
    return timeout(ms * factor);
  });
  return asked;
};

afterEach(() => void vi.restoreAllMocks());

describe('threat: a schema that takes long', () => {
  it('several calls with large schemas block nobody, and all are answered', {
    timeout: 180_000,
  }, async () => {
    // What is measured is the wait of others, not how fast a busy machine is.
    scaleLimits(6);
    const schema = largeSchema();
    const call = () => runTool(validateJson, { data: '{"property1": 5}', schema }, fakeContext());
    let reports: readonly unknown[] = [];
    const hold = await longestHold(async () => {
      reports = await Promise.all(Array.from({ length: sized(4, 8) }, call));
    });
    expect(hold).toBeLessThan(MAX_HOLD_MS);
    for (const report of reports) expect(report).toMatchObject({ valid: false });
  });

  it.each([
    ['validate_json', validateJson, { data: '1' }],
    ['json_parser', jsonParser, { text: '[1]' }],
  ] as const)(
    '%s stops an endless schema and blocks nobody',
    { timeout: 60_000 },
    async (...row) => {
      const [, tool, given] = row;
      // An endless schema need not be waited for 20 s.
      const asked = scaleLimits(0.1);
      let code: unknown;
      const hold = await longestHold(async () => {
        const input = { ...given, schema: endlessSchema() };
        code = await runTool(tool as typeof validateJson, input as never, fakeContext()).catch(
          (error: { code: unknown }) => error.code,
        );
      });
      // Whichever it meets first: the limit of time or that of memory.
      expect(['TIMEOUT', 'VALIDATION_ERROR']).toContain(code);
      expect(asked).toContain(20_000);
      expect(hold).toBeLessThan(MAX_HOLD_MS);
    },
  );

  it('a cancelled call ends its process', { timeout: 30_000 }, async () => {
    const gone = new AbortController();
    const call = runTool(
      validateJson,
      { data: '1', schema: endlessSchema() },
      { ...fakeContext(), signal: gone.signal },
    );
    setTimeout(() => gone.abort(), 300);
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
