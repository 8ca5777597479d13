/** Several places of secrets as one: the first that holds a key wins. */
import type { Secrets } from '../contract/secrets.ts';

/** A place that fails fails the question: another one must not answer in its stead unnoticed. */
export const createSecretChain = (sources: readonly Secrets[]): Secrets => ({
  label: sources.map(({ label = 'unnamed' }) => label).join(', ') || 'nowhere',
  get: async (key) => {
    for (const source of sources) {
      const value = await source.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  },
  keys: async () => {
    const lists = await Promise.all(sources.map(async (source) => (await source.keys?.()) ?? []));
    return [...new Set(lists.flat())];
  },
});
