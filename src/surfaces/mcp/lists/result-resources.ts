/** `toolcrib://results/{handle}`: results that were too large to hand over, page by page. */
import type { Crib } from '../../../contract/crib.ts';
import type { ResourceCatalog } from './collection.ts';

const START = 'toolcrib://results/';
const PAGE = 10_000;
const MOST = 100_000;

const numberOf = (query: URLSearchParams, name: string, fallback: number): number => {
  const text = query.get(name);
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : fallback;
};

export const resultShelf = (crib: Crib): ResourceCatalog => ({
  label: 'results',
  // Handles are told to whoever made the call and are never listed.
  list: async () => [],
  templates: () => [
    {
      uriTemplate: `${START}{handle}{?offset,limit}`,
      name: 'Result by handle',
      description: `Text of a large result; ${PAGE} characters from offset on unless limit is given.`,
      mimeType: 'text/plain',
    },
  ],
  read: async (uri, caller) => {
    if (!uri.startsWith(START)) return undefined;
    const [handle = '', query = ''] = uri.slice(START.length).split('?', 2);
    const given = new URLSearchParams(query);
    const range = {
      offset: numberOf(given, 'offset', 0),
      limit: Math.min(numberOf(given, 'limit', PAGE), MOST),
    };
    const page = await crib.results.read(handle, range, caller);
    return page && [{ uri, mimeType: 'text/plain', text: page.text }];
  },
});
