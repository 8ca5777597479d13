/** What tools remember, in memory: JSON text by space and key, so that no object is shared. */
import type { MemoryStore } from '../../contract/store.ts';
import { assertSynchronous, toJsonText } from '../plain-json.ts';

interface Item {
  readonly text: string;
  readonly expiresAt: number | undefined;
}

type Spaces = Map<string, Map<string, Item>>;

const isLive = ({ expiresAt }: Item, now: number): boolean =>
  expiresAt === undefined || expiresAt > now;

const MIN_SWEEP_WRITES = 100;

/**
 * Returns a function that is called after each write of what expires. It looks at all items once in as
 * many writes as there are items, so that a write costs no more for it.
 */
const sweeper = (spaces: Spaces): ((now: number) => void) => {
  let writesLeft = MIN_SWEEP_WRITES;
  return (now) => {
    writesLeft -= 1;
    if (writesLeft > 0) return;
    let live = 0;
    for (const [space, items] of spaces) {
      for (const [key, item] of items) {
        if (isLive(item, now)) live += 1;
        else items.delete(key);
      }
      if (items.size === 0) spaces.delete(space);
    }
    writesLeft = Math.max(MIN_SWEEP_WRITES, live);
  };
};

export const memorySpaces = (): MemoryStore => {
  const spaces: Spaces = new Map();
  const sweep = sweeper(spaces);

  const remove = (space: string, key: string): boolean => {
    const items = spaces.get(space);
    const removed = items?.delete(key) ?? false;
    if (items?.size === 0) spaces.delete(space);
    return removed;
  };
  const find = (space: string, key: string, now: number): Item | undefined => {
    const item = spaces.get(space)?.get(key);
    if (!item || isLive(item, now)) return item;
    remove(space, key);
    return undefined;
  };
  const put = (
    { space, key }: { readonly space: string; readonly key: string },
    value: unknown,
    expiresAt: number | undefined,
  ): unknown => {
    const text = toJsonText(value);
    if (text === undefined) {
      remove(space, key);
      return undefined;
    }
    const items = spaces.get(space) ?? new Map<string, Item>();
    items.set(key, { text, expiresAt });
    spaces.set(space, items);
    return JSON.parse(text);
  };

  return {
    async read(space, key, now) {
      const item = find(space, key, now);
      return item && JSON.parse(item.text);
    },
    async write(item) {
      put(item, item.value, item.expiry?.at);
      if (item.expiry) sweep(item.expiry.now);
    },
    async update(at, change) {
      const item = find(at.space, at.key, at.now);
      const value = change(item && JSON.parse(item.text));
      assertSynchronous(value);
      return put(at, value, item?.expiresAt);
    },
    delete: async (space, key) => remove(space, key),
    async clear(space) {
      spaces.delete(space);
    },
  };
};
