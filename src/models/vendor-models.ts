/** The models of the vendors. Each needs the vendor's library, which is loaded with the first question. */
import { ToolFailure } from '../contract/errors.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import type { Endpoint, ModelSettings, VendorModel } from './model-settings.ts';

const MISSING: ReadonlySet<unknown> = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** Loads an optional library. Fails with DEPENDENCY_MISSING, which says what to install, when it is not there. */
export const loadLibrary = async <T>(
  packages: readonly string[],
  load: () => Promise<T>,
): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if (!MISSING.has(errorCodeOf(error))) throw error;
    throw new ToolFailure('DEPENDENCY_MISSING', 'The library for this model is not installed.', {
      suggestions: [`npm install ${packages.join(' ')}`],
    });
  }
};

/** Opens a model of any endpoint with the chat completions API of OpenAI. */
const openOpenaiCompatible = async ({
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
    // Without it a stream reports no token counts.
    includeUsage: true,
    fetch,
    ...(apiKey !== undefined && { apiKey }),
  });
  return provider.chatModel(settings.model);
};

/**
 * Opens a model of Anthropic. Fails with AUTH_MISSING without a key: the library would look for one in the
 * environment.
 */
const openAnthropic = async ({
  settings,
  baseUrl,
  apiKey,
  fetch,
}: Endpoint): Promise<VendorModel> => {
  if (apiKey === undefined) {
    throw new ToolFailure('AUTH_MISSING', 'The model needs an API key.', {
      suggestions: ['Set model.apiKeyRef to the name of a secret, e.g. ANTHROPIC_API_KEY.'],
    });
  }
  const packages = ['ai@6', '@ai-sdk/anthropic@3'];
  const library = await loadLibrary(packages, () => import('@ai-sdk/anthropic'));
  return library.createAnthropic({ baseURL: baseUrl, apiKey, fetch })(settings.model);
};

/** Opens a model by the library of its vendor. */
export const VENDORS = {
  'openai-compatible': openOpenaiCompatible,
  anthropic: openAnthropic,
} as const satisfies Record<
  ModelSettings['provider'],
  (endpoint: Endpoint) => Promise<VendorModel>
>;
