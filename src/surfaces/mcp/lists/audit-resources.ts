/** `toolcrib://audit/recent`: the last calls of this client, as the audit trail keeps them. */
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { ResourceCatalog } from './collection.ts';

export const AUDIT_RECENT = 'toolcrib://audit/recent';

const LOOKED_AT = 500;
const SHOWN = 50;

export const auditShelf = (crib: Crib): ResourceCatalog => ({
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
    const rows = await crib.audit.query({ userId, limit: LOOKED_AT });
    const mine = rows.filter((row) => row.agentId === agentId).slice(0, SHOWN);
    const calls = mine.map(({ hash: _hash, detail: _detail, ...row }) => ({
      ...row,
      at: new Date(row.at).toISOString(),
    }));
    return [{ uri, mimeType: 'application/json', text: JSON.stringify(calls) }];
  },
});
