/**
 * Seals tokens. A database can come from elsewhere: a token in it that this user did not make
 * grants nothing, and is not listed.
 */
import type { TokenRecord, Tokens } from '../../contract/tokens.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';
import type { Seals } from '../approvals/seals.ts';

/** Gives the text to seal: what the token grants. Its use and revocation grant nothing. */
export const tokenText = ({
  seal: _seal,
  revokedAt: _revokedAt,
  lastUsedAt: _lastUsedAt,
  ...token
}: TokenRecord): string => `toolcrib token 1\n${canonicalJson(token)}`;

export const sealedTokens = (tokens: Tokens, seals: Pick<Seals, 'seal' | 'isOurs'>): Tokens => {
  const isOurs = (record: TokenRecord): Promise<boolean> =>
    seals.isOurs(tokenText(record), record.seal);
  return {
    async add(record) {
      const seal = await seals.seal(tokenText(record));
      await tokens.add(seal === undefined ? record : { ...record, seal });
    },
    async get(id) {
      const record = await tokens.get(id);
      // A row with another id is not the requested one.
      return record?.id === id && (await isOurs(record)) ? record : undefined;
    },
    async list() {
      const ours: TokenRecord[] = [];
      for (const record of await tokens.list()) if (await isOurs(record)) ours.push(record);
      return ours;
    },
    revoke: (id, at) => tokens.revoke(id, at),
    touch: (id, at) => tokens.touch(id, at),
  };
};
