/** Joins several sources of secrets: the first that holds a key wins. */
import type { Secrets } from '../contract/secrets.ts';

/** Fails when a source fails: another one must not answer for it unnoticed. */
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
