/** Vectors in memory, by user, kind and id. */
import type { VectorItem, VectorKey, VectorKind, Vectors } from '../../contract/vectors.ts';
import { type KeptVector, NearestVectors } from '../nearest-vectors.ts';
import { checkedItem, checkedQuery, MAX_VECTORS, tooMany, wrongLength } from '../unit-vector.ts';

interface Kept extends KeptVector {
  readonly model: string;
}

const keyOf = ({ kind, id }: Omit<VectorKey, 'userId'>): string => `${kind} ${id}`;

export const memoryVectors = (): Vectors => {
  const users = new Map<string, Map<string, Kept>>();

  const put = (item: VectorItem, vector: Float32Array): void => {
    const own = users.get(item.userId) ?? new Map<string, Kept>();
    const key = keyOf(item);
    for (const [name, { model, vector: other }] of own) {
      if (name === key || model !== item.model) continue;
      if (other.length !== vector.length) throw wrongLength(vector.length, other.length);
      break;
    }
    if (!own.has(key) && own.size >= MAX_VECTORS) throw tooMany();
    const { kind, id, model } = item;
    own.set(key, { kind, id, model, vector });
    users.set(item.userId, own);
  };
  const remove = (userId: string, isGone: (key: string, stored: Kept) => boolean): number => {
    const own = users.get(userId);
    const gone = Array.from(own ?? []).filter(([key, stored]) => isGone(key, stored));
    for (const [key] of gone) own?.delete(key);
    if (own?.size === 0) users.delete(userId);
    return gone.length;
  };

  return {
    async put(item) {
      put(item, checkedItem(item));
    },
    async search(query) {
      const unit = checkedQuery(query);
      const { userId, kind, model } = query;
      const own = Array.from(users.get(userId)?.values() ?? []).filter(
        (stored) => stored.model === model && (kind === undefined || stored.kind === kind),
      );
      const fitting = own.filter(({ vector }) => vector.length === unit.length);
      if (fitting.length === 0 && own[0]) throw wrongLength(unit.length, own[0].vector.length);
      const nearest = new NearestVectors(unit, query);
      nearest.look(fitting);
      return nearest.matches();
    },
    delete: async (key) => remove(key.userId, (name) => name === keyOf(key)) > 0,
    clear: async (userId: string, kind: VectorKind) =>
      remove(userId, (_, stored) => stored.kind === kind),
  };
};
