import { describe, expect, it } from 'vitest';
import type { CallRequest } from '../contract/call.ts';
import type { MemoryScope } from '../contract/memory.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { MemoryStore } from '../contract/store.ts';
import { CallMemory } from './memory.ts';

const opened = () => {
  const used: string[] = [];
  const store = new Proxy({} as MemoryStore, {
    get: (_, name) => async () => {
      used.push(String(name));
    },
  });
  const call = { caller: { userId: 'ada', sessionId: 's' }, executionId: 'x', notes: {} };
  const memory = new CallMemory(
    call as unknown as CallRequest,
    { persistent: store, working: store },
    { now: () => 0 } as unknown as Runtime,
  );
  return { memory, used };
};

const at = (scope: unknown, key: unknown = 'k') =>
  ({ scope, key }) as { scope: MemoryScope; key: string };

describe('memory of a call', () => {
  it.each(['nope', '', undefined, null, 'Working', '__proto__', ['working']])(
    'the scope %j is refused by every method before the store is asked',
    async (scope) => {
      const { memory, used } = opened();
      const place = at(scope).scope;
      for (const asked of [
        () => memory.read(place, 'k'),
        () => memory.write(place, 'k', 1),
        () => memory.writeFor(1000, at(scope), 1),
        () => memory.update(place, 'k', () => 1),
        () => memory.delete(place, 'k'),
      ]) {
        await expect(asked()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      }
      expect(used).toEqual([]);
    },
  );

  it('keys that are no strings, times that are no numbers and changes that are no functions are refused', async () => {
    const { memory, used } = opened();
    const { key } = at('working', 7);
    for (const asked of [
      () => memory.read('working', key),
      () => memory.delete('long-term', key),
      () => memory.writeFor(Number.NaN, at('working'), 1),
      () => memory.writeFor(-1, at('working'), 1),
      () => memory.update('working', 'k', undefined as unknown as () => unknown),
    ]) {
      await expect(asked()).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    }
    expect(used).toEqual([]);
  });

  it.each(['working', 'short-term', 'long-term'] as const)(
    'the scope %s is served',
    async (scope) => {
      const { memory, used } = opened();
      await memory.write(scope, 'k', 1);
      await memory.read(scope, 'k');
      expect(used).toEqual(['write', 'read']);
    },
  );
});
