import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Crib } from '../../src/contract/crib.ts';
import { isErrorCode } from '../../src/contract/errors.ts';
import type { ToolResult } from '../../src/contract/result.ts';
import { createCrib } from '../../src/crib.ts';

/** Threat "Formats" and guarantee Z1 at a small size: whatever comes in, a `ToolResult` comes out. */
const RUNS = 60;
const STATUSES = ['success', 'failure', 'timeout', 'cancelled', 'denied', 'pending'];
const NAUGHTY = [
  '',
  '\u0000',
  '../../etc/passwd',
  '/dev/zero',
  '-rf',
  '$(reboot)',
  '`id`',
  '__proto__',
  'constructor',
  '\ud800',
  '\u202e\u2066',
  '(((((((((((',
  '9'.repeat(400),
  'x'.repeat(5000),
  '%s%n%x',
  '{{7*7}}',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '(a+)+$',
  '🙂'.repeat(50),
];

const naughty = fc.oneof(
  fc.constantFrom(...NAUGHTY),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);

/** The input of an example with some of its values replaced by something nasty. */
const spoiled = (example: Record<string, unknown>): fc.Arbitrary<unknown> =>
  fc
    .record(
      Object.fromEntries(
        Object.entries(example).map(([key, value]) => [
          key,
          fc.oneof({ weight: 2, arbitrary: fc.constant(value) }, naughty),
        ]),
      ),
      { requiredKeys: [] },
    )
    .map((record) => ({ ...record }));

const assertIsResult = (result: ToolResult): void => {
  expect(STATUSES).toContain(result.status);
  expect(result.success).toBe(result.status === 'success');
  expect(result.metadata.executionId).not.toBe('');
  if (!result.success) {
    expect(isErrorCode(result.error?.code)).toBe(true);
    expect(result.error?.code).not.toBe('INTERNAL');
  }
  expect(() => JSON.stringify(result)).not.toThrow();
};

let root: string;
let crib: Crib;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-fuzz-'));
  crib = await createCrib({ root, store: 'memory', approver: () => true });
});
afterAll(async () => {
  await crib.close();
  await rm(root, { recursive: true, force: true });
});

const shipped = (await createCrib({ store: 'memory' })).tools.list().map(({ tool }) => tool);

describe('every tool answers with a result, whatever it is given', () => {
  it.each(shipped.map((tool) => [tool.name, tool] as const))(
    '%s',
    async (name, tool) => {
      const examples = (tool.examples ?? []).map(({ input }) => input as Record<string, unknown>);
      const inputs = fc.oneof(naughty, ...examples.map(spoiled));
      await fc.assert(
        fc.asyncProperty(inputs, async (input) => assertIsResult(await crib.execute(name, input))),
        { numRuns: RUNS },
      );
    },
    60_000,
  );

  it('and the record of all of it is whole', async () => {
    expect(await crib.verifyAudit()).toMatchObject({ ok: true });
  });
});
