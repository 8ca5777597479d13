/** The same adapter with version 7 of the AI SDK, which a program may have instead of 6. */
import { generateText, stepCountIs } from 'ai7';
import { MockLanguageModelV3 } from 'ai7/test';
import { expect, vi } from 'vitest';
import { adapterConformance } from '../../test/conformance/adapter.ts';
import { type AiSdkUnderTest, loop, readingsOf } from '../../test/fixtures/ai-sdk-loop.ts';
import { forAiSdk } from './ai-sdk.ts';

vi.mock('ai', () => import('ai7'));

const SDK = { generateText, stepCountIs, MockLanguageModelV3 } as unknown as AiSdkUnderTest;

adapterConformance('the AI SDK 7', async (crib, options) => {
  const tools = await forAiSdk(crib, options);
  return {
    names: Object.keys(tools),
    async turn(calls, abortSignal) {
      const { model, result } = loop(SDK, { tools, calls, abortSignal });
      expect((await result).text).toBe('Done.');
      return readingsOf(model);
    },
  };
});
