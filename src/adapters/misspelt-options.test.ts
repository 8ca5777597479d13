import { describe, expect, it, vi } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { forAiSdk } from './ai-sdk.ts';
import { forAnthropic } from './anthropic.ts';
import { forGemini } from './gemini.ts';
import { forLangChain } from './langchain.ts';
import { forMastra } from './mastra.ts';
import { forOpenAI } from './openai.ts';
import { forOpenAIAgents } from './openai-agents.ts';

const SETS = {
  forAiSdk,
  forAnthropic,
  forGemini,
  forLangChain,
  forMastra,
  forOpenAI,
  forOpenAIAgents,
};
const INVALID = { code: 'VALIDATION_ERROR' };

describe.each(Object.entries(SETS))('%s', (_, open) => {
  it.each([
    [{ nams: ['echo'] }, 'did you mean names?'],
    [{ names: 'echo' }, 'names'],
    [{ surface: 'serch' }, 'surface'],
    [{ filter: { teir: ['read_only'] } }, 'teir is not known'],
    ['echo', 'options'],
  ])('refuses the options %j and says why', async (options, named) => {
    const crib = await testCrib([aTool()]);
    const opening = open(crib, options as never);
    await expect(opening).rejects.toMatchObject(INVALID);
    await expect(opening).rejects.toThrow(named);
  });

  it('refuses what is no crib', async () => {
    await expect(open({} as never)).rejects.toMatchObject(INVALID);
  });
});

describe('run() of a tool set', () => {
  const turnOf = {
    openai: [{ id: 'a', function: { name: 'echo', arguments: '{}' } }],
    anthropic: { content: [{ type: 'tool_use', id: 'a', name: 'echo', input: {} }] },
    gemini: [{ id: 'a', name: 'echo', args: {} }],
  };
  const setup = async () => {
    const run = vi.fn(async () => 'ran');
    const crib = await testCrib([aTool({ run: run as never })]);
    const sets = {
      openai: await forOpenAI(crib),
      anthropic: await forAnthropic(crib),
      gemini: await forGemini(crib),
    };
    return { run, sets };
  };

  it.each(['openai', 'anthropic', 'gemini'] as const)(
    'refuses misspelt options and what is no turn, and runs nothing (%s)',
    async (provider) => {
      const { run, sets } = await setup();
      const answer = sets[provider].run as (turn: unknown, options?: unknown) => Promise<unknown>;
      const turn = turnOf[provider];
      await expect(answer(turn, { singal: 1 })).rejects.toThrow('did you mean signal?');
      await expect(answer(turn, { signal: 'stop' })).rejects.toMatchObject(INVALID);
      await expect(answer(turn, { onProgress: true })).rejects.toMatchObject(INVALID);
      for (const none of [undefined, null, 'turn', 5]) {
        await expect(answer(none)).rejects.toMatchObject(INVALID);
      }
      expect(run).not.toHaveBeenCalled();
    },
  );

  it.each(['openai', 'anthropic', 'gemini'] as const)(
    'runs with options that are known or absent (%s)',
    async (provider) => {
      const { run, sets } = await setup();
      const answer = sets[provider].run as (turn: unknown, options?: unknown) => Promise<unknown>;
      const { signal } = new AbortController();
      await answer(turnOf[provider], { signal, onProgress: () => undefined, other: undefined });
      expect(run).toHaveBeenCalledTimes(1);
    },
  );
});
