/** The `model` section: the language model for the few tools that need one. */
import { z } from 'zod';
import { address, nonEmptyText, usd } from '../fields.ts';
import { described, optionalSetting } from '../setting.ts';

const KEY_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

const KEY_PREFIX = /^(?:(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|AKIA|ASIA|AIza|xox|eyJ|hf_)/;

/** Recognises text that mixes cases and digits, is long, or begins like the keys of a vendor. */
const looksLikeKey = (text: string): boolean =>
  KEY_PREFIX.test(text) ||
  text.length > 64 ||
  (text.length >= 24 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text)) ||
  /^[0-9a-f]{24,}$/i.test(text);

const apiKeyRef = z
  .string()
  .refine((text) => looksLikeKey(text) || KEY_NAME.test(text), {
    error: 'expected the name of a secret, e.g. OPENAI_API_KEY',
  })
  .refine((text) => !looksLikeKey(text), {
    error:
      'looks like a key itself; take it out of here, keep it in the environment or the secrets store, and write its name, e.g. OPENAI_API_KEY',
  });

const embeddingModel = z.strictObject({
  model: described(nonEmptyText, {
    about: 'The name of the embedding model at its endpoint.',
    project: 'user',
  }),
  baseUrl: optionalSetting(address(['http', 'https']), {
    about:
      'The address of the endpoint; that of an openai-compatible model, or OpenAI’s, when absent.',
    project: 'user',
  }),
  apiKeyRef: optionalSetting(apiKeyRef, {
    about:
      'The name under which the secrets hold its API key; that of the model when absent and the address is the same.',
    project: 'user',
  }),
  inputUsdPerMillion: optionalSetting(usd, {
    about: 'US dollars for a million tokens; without it only tokens are counted.',
    project: 'user',
  }),
});

export const modelSection = optionalSetting(
  z.strictObject({
    provider: described(z.enum(['openai-compatible', 'anthropic']), {
      about: 'Which protocol the endpoint speaks.',
      project: 'user',
    }),
    baseUrl: optionalSetting(address(['http', 'https']), {
      about: 'The address of the endpoint; the vendor’s own when absent.',
      project: 'user',
    }),
    model: described(nonEmptyText, {
      about: 'The name of the model at that endpoint.',
      project: 'user',
    }),
    apiKeyRef: optionalSetting(apiKeyRef, {
      about: 'The name under which the secrets hold the API key; never the key itself.',
      project: 'user',
    }),
    inputUsdPerMillion: optionalSetting(usd, {
      about: 'US dollars for a million tokens sent; without prices only tokens are counted.',
      project: 'user',
    }),
    outputUsdPerMillion: optionalSetting(usd, {
      about: 'US dollars for a million tokens received.',
      project: 'user',
    }),
    structuredOutputs: optionalSetting(z.boolean(), {
      about: 'False for endpoints that know json_object but no json_schema.',
      project: 'user',
    }),
    embedding: optionalSetting(embeddingModel, {
      about: 'The model that makes vectors of texts, at an endpoint with the API of OpenAI.',
      project: 'user',
    }),
  }),
  { about: 'The language model for tools that need one. Nothing else depends on it.' },
);
