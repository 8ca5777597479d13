/** Any endpoint that speaks the chat completions of OpenAI. */
import { loadLibrary } from './load-library.ts';
import type { Endpoint, VendorModel } from './model-settings.ts';

export const openOpenaiCompatible = async ({
  settings,
  baseUrl,
  apiKey,
  fetch,
}: Endpoint): Promise<VendorModel> => {
  const packages = ['ai@6', '@ai-sdk/openai-compatible@2'];
  const library = await loadLibrary(packages, () => import('@ai-sdk/openai-compatible'));
  const provider = library.createOpenAICompatible({
    name: 'openaiCompatible',
    baseURL: baseUrl,
    supportsStructuredOutputs: settings.structuredOutputs !== false,
    // A stream says what it cost only when asked to.
    includeUsage: true,
    fetch,
    ...(apiKey !== undefined && { apiKey }),
  });
  return provider.chatModel(settings.model);
};
