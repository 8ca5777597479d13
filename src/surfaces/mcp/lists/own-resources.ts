/** The resources of the crib itself: `toolcrib://audit/recent` and `toolcrib://results/{handle}`. */
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { ResourceCatalog } from './collection.ts';

export const AUDIT_RECENT = 'toolcrib://audit/recent';

/** The trail is read by user; of these rows those of the client are picked. */
const MAX_ROWS_READ = 500;
const MAX_CALLS = 50;

/** Offers the last calls of the client, as the audit trail keeps them. */
export const auditResources = (crib: Crib): ResourceCatalog => ({
  label: 'audit',
  list: async () => [
    {
      uri: AUDIT_RECENT,
      name: 'Recent calls',
      description: 'The last calls of this client: tool, outcome, cost and time.',
      mimeType: 'application/json',
    },
  ],
  read: async (uri, { userId = LOCAL_CALLER.userId, agentId }) => {
    if (uri !== AUDIT_RECENT) return undefined;
    const rows = await crib.audit.query({ userId, limit: MAX_ROWS_READ });
    const mine = rows.filter((row) => row.agentId === agentId).slice(0, MAX_CALLS);
    const calls = mine.map(({ hash: _hash, detail: _detail, ...row }) => ({
      ...row,
      at: new Date(row.at).toISOString(),
    }));
    return [{ uri, mimeType: 'application/json', text: JSON.stringify(calls) }];
  },
});

const RESULTS = 'toolcrib://results/';
const DEFAULT_CHARS = 10_000;
const MAX_CHARS = 100_000;

const numberOf = (query: URLSearchParams, name: string, fallback: number): number => {
  const text = query.get(name);
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : fallback;
};

/** Reads from the query of a URI which part of a text is wanted. */
export const pageRange = (query: string): { readonly offset: number; readonly limit: number } => {
  const params = new URLSearchParams(query);
  return {
    offset: numberOf(params, 'offset', 0),
    limit: Math.min(numberOf(params, 'limit', DEFAULT_CHARS), MAX_CHARS),
  };
};

/** Offers results that were too large to hand over, page by page. */
export const resultResources = (crib: Crib): ResourceCatalog => ({
  label: 'results',
  // Only the caller knows the handle of its result: handles are never listed.
  list: async () => [],
  templates: () => [
    {
      uriTemplate: `${RESULTS}{handle}{?offset,limit}`,
      name: 'Result by handle',
      description: `Text of a large result; ${DEFAULT_CHARS} characters from offset on unless limit is given.`,
      mimeType: 'text/plain',
    },
  ],
  read: async (uri, caller) => {
    if (!uri.startsWith(RESULTS)) return undefined;
    const [handle = '', query = ''] = uri.slice(RESULTS.length).split('?', 2);
    const page = await crib.results.read(handle, pageRange(query), caller);
    return page && [{ uri, mimeType: 'text/plain', text: page.text }];
  },
});
