/** Offers the tools of a crib to agent frameworks; each adapter is loaded with its first use. */
import type { Crib } from '../contract/crib.ts';
import type { ToolSets } from '../contract/tool-sets.ts';

export const frameworkTools = (crib: Crib): ToolSets => ({
  forAiSdk: async (options) => (await import('../adapters/ai-sdk.ts')).forAiSdk(crib, options),
  forOpenAI: async (options) => (await import('../adapters/openai.ts')).forOpenAI(crib, options),
  forAnthropic: async (options) =>
    (await import('../adapters/anthropic.ts')).forAnthropic(crib, options),
  forLangChain: async <T>(options: Parameters<ToolSets['forLangChain']>[0]) => {
    const { forLangChain } = await import('../adapters/langchain.ts');
    return (await forLangChain(crib, options)) as unknown as T[];
  },
  forOpenAIAgents: async (options) =>
    (await import('../adapters/openai-agents.ts')).forOpenAIAgents(crib, options),
  forGemini: async (options) => (await import('../adapters/gemini.ts')).forGemini(crib, options),
  forMastra: async <T>(options: Parameters<ToolSets['forMastra']>[0]) => {
    const { forMastra } = await import('../adapters/mastra.ts');
    return (await forMastra(crib, options)) as unknown as Record<string, T>;
  },
});
