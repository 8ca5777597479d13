/** The messages of Anthropic. */
import { ToolFailure } from '../contract/errors.ts';
import { loadLibrary } from './load-library.ts';
import type { Endpoint, VendorModel } from './model-settings.ts';

/** Fails with AUTH_MISSING without a key: the library would look for one in the environment. */
export const openAnthropic = async ({
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
