/** The threat: a text of an error is cut inside a secret, whose first half is then not recognised. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolDefinition } from '../../contract/tool.ts';

const SECRET = 'correct horse battery staple, and a stable for the horse';
/** The secret lies across the last character that is kept. */
const LONG = `${'x'.repeat(1_980)}${SECRET}${'y'.repeat(50_000)}`;
const LISTS = {
  suggestions: [LONG],
  standing: [LONG],
  issues: [{ path: [LONG], message: LONG }],
};

const errorTextOf = async (definition: Partial<ToolDefinition<never, unknown>>) => {
  const run = async (_input: unknown, { secret }: ToolContext) => {
    await secret('KEY');
    throw new ToolFailure('EXECUTION_FAILED', LONG, LISTS);
  };
  const needs = { secrets: ['KEY'] };
  const crib = await testCrib([aTool({ needs, run: run as never, ...definition })], {
    secrets: { get: async () => SECRET },
  });
  const { error } = await crib.execute('echo', {});
  await crib.close();
  return { error, text: JSON.stringify(error) };
};

describe('threat: secrets at the end of a text that is cut', () => {
  it.each([
    ['throws', {}],
    ['explains', { handleError: () => ({ code: 'NETWORK', message: LONG, ...LISTS }) as never }],
  ])('hostile: no list of an error that a tool %s has half a secret', async (_, definition) => {
    const { error, text } = await errorTextOf(definition);
    expect(error?.suggestions).toHaveLength(1);
    expect(error?.issues).toHaveLength(1);
    expect(error?.standing).toHaveLength(1);
    expect(text).not.toContain('correct horse');
    expect(text.length).toBeLessThan(11_000);
  });
});
