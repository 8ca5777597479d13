/** The `model` section of the configuration, and what the drivers get with it. */

export interface ModelPricing {
  /** US dollars for a million tokens. */
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
}

export interface ModelSettings {
  readonly provider: 'openai-compatible' | 'anthropic';
  readonly model: string;
  /** The vendor's own address when absent. */
  readonly baseUrl?: string;
  /** The key under which the secrets hold the API key. */
  readonly apiKeyRef?: string;
  /** Without it a reply says nothing about its cost. */
  readonly pricing?: ModelPricing;
  /** False for endpoints that know `json_object` but no `json_schema`; the shape is then described. */
  readonly structuredOutputs?: boolean;
}

export interface ModelDeps {
  /** Reads a secret; `undefined` when there is none of this name. */
  secret(key: string): Promise<string | undefined>;
  /** The only way out; it should reach the host of the endpoint and no other. */
  readonly fetch: typeof globalThis.fetch;
  now(): number;
}

/** A model as the library of a vendor gives it. */
export type VendorModel = Parameters<typeof import('ai').wrapLanguageModel>[0]['model'];

/** What a driver is opened with. The key is there, or the endpoint asks for none. */
export interface Endpoint {
  readonly settings: ModelSettings;
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: typeof globalThis.fetch;
}

const VENDORS = {
  'openai-compatible': 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
} as const satisfies Record<ModelSettings['provider'], string>;

/** Gives the address. The library always gets one: without it, it would read the environment. */
export const modelBaseUrl = ({ provider, baseUrl }: ModelSettings): string =>
  (baseUrl ?? VENDORS[provider]).replace(/\/+$/, '');
