/** Runs every attempt to get out and judges by the canary, not by what the attempt says of itself. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolFailure } from '../../src/contract/errors.ts';
import { sized } from '../guarantees/size.ts';
import { type Canary, openCanary } from './sandbox-canary.ts';
import { ESCAPES, ROBBERY } from './sandbox-escapes.ts';
import { echoHost } from './sandbox-host.ts';
import { type SandboxUnderTest, skip } from './sandbox-under-test.ts';

const moduleOf = (body: string): string => `${ROBBERY}
export async function run(input, context) {
  const loot = makeLoot(input);
  ${body}
}
`;

/** Everything a host would do with an outcome: print it, log it, serialise it. */
const seenOf = (outcome: unknown): string =>
  outcome instanceof ToolFailure
    ? JSON.stringify([outcome.code, outcome.message, outcome.extras, outcome.stack, outcome.cause])
    : JSON.stringify(outcome);

const isPlain = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = Array.isArray(value)
    ? prototype === Array.prototype
    : prototype === Object.prototype;
  const fields = Object.getOwnPropertyDescriptors(value);
  return plain && Object.values(fields).every((field) => 'value' in field);
};

/**
 * Code on Node itself has `Function` and `process` by name, and only the system confines it: the ways
 * to `Function` along an object's constructor all end there. In small, every fourth of them.
 */
const SHARE_OF_CONSTRUCTORS = sized(4, 1);

const escapesFor = ({ bare }: SandboxUnderTest['can']): typeof ESCAPES => {
  if (bare === true) return ESCAPES;
  const chains = ESCAPES.filter(([, body]) => body.includes('.constructor'));
  return ESCAPES.filter((attempt) => {
    const at = chains.indexOf(attempt);
    return at === -1 || at % SHARE_OF_CONSTRUCTORS === 0;
  });
};

export const describeEscapes = (test: SandboxUnderTest): void => {
  const { code, trusted } = test.can;
  if (!code) return;

  describe('escapes', () => {
    if (trusted !== undefined) {
      skip(test, 'escapes', trusted);
      return;
    }
    let canary: Canary | undefined;
    beforeEach(async () => {
      canary = await openCanary();
    });
    afterEach(() => canary?.close());

    it.each(escapesFor(test.can))('contains the escape: %s', async (name, body) => {
      if (canary === undefined) throw new Error('there is no canary');
      const task = {
        kind: 'code',
        name: 'tool.js',
        code: moduleOf(body),
        input: canary.bait,
      } as const;
      const config = { timeLimit: 5000, resourceLimits: { memoryMb: 128, outputBytes: 5e7 } };
      const outcome = await test
        .run(task, { host: echoHost(), config })
        .catch((error: unknown) => error);
      expect(canary.traces(seenOf(outcome)), name).toEqual([]);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ToolFailure);
      else expect(isPlain((outcome as { value?: unknown }).value)).toBe(true);
    });

    it('the robbery would succeed without a sandbox', async () => {
      if (canary === undefined) throw new Error('there is no canary');
      const source = `${ROBBERY}\nreturn makeLoot(input)(root);`;
      const AsyncFunction = Object.getPrototypeOf(async () => {})
        .constructor as FunctionConstructor;
      const rob = AsyncFunction('input', 'root', source) as (
        ...args: unknown[]
      ) => Promise<unknown>;
      const { env } = process;
      const found = await rob(canary.bait, { process: { env } });
      expect(canary.traces(JSON.stringify(found))).toEqual(['the secret came out']);
    });

    it('the sandbox works as before after all of that', async () => {
      expect((await test.code('return [input, typeof [].map];', 1)).value).toEqual([1, 'function']);
    });
  });
};
