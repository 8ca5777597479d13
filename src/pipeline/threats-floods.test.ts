/** The threat: a tool says more than anybody can hold: warnings, progress, suggestions, issues. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';

const MANY = 100_000;
const LONG = 'x'.repeat(100_000);

const run = async (work: (context: ToolContext) => unknown) => {
  const crib = await testCrib([
    aTool({ run: ((_: unknown, context: ToolContext) => work(context)) as never }),
  ]);
  let steps = 0;
  const heard: number[] = [];
  crib.events.on('call.progressed', () => void steps++);
  const onProgress = (fraction: number): void => void heard.push(fraction);
  const result = await crib.execute('echo', {}, { onProgress });
  await crib.close();
  return { result, steps, heard };
};

describe('threat: a tool that floods', () => {
  it('hostile: 100,000 warnings make a short result that says so', async () => {
    const { result } = await run(({ warn }) => {
      for (let n = 0; n < MANY; n++) warn(`warning ${n}`);
      return 'done';
    });
    expect(result.success).toBe(true);
    expect(result.warnings).toHaveLength(101);
    expect(result.warnings?.at(-1)).toBe('Further warnings were left out.');
  });

  it('hostile: warnings and notes of any length are cut', async () => {
    const notes: (string | undefined)[] = [];
    const crib = await testCrib([
      aTool({
        run: ((_: unknown, { warn, progress }: ToolContext) => {
          warn(LONG);
          progress(0.5, LONG);
        }) as never,
      }),
    ]);
    const { warnings } = await crib.execute(
      'echo',
      {},
      { onProgress: (_fraction, said) => void notes.push(said) },
    );
    expect(warnings?.map(({ length }) => length)).toEqual([2000]);
    expect(notes.map((said) => said?.length)).toEqual([2000]);
  });

  it('hostile: of a million steps of progress some thousands are told, the last of them too', async () => {
    const { heard, steps, result } = await run(({ progress }) => {
      for (let n = 1; n <= 1_000_000; n++) progress(n / 1_000_000);
      return 'done';
    });
    expect(result.success).toBe(true);
    expect(heard.length).toBeLessThan(4_000);
    expect([steps, heard.at(-1)]).toEqual([heard.length, 1]);
  });

  it('hostile: of a million final steps some thousands are told', async () => {
    const { heard, steps } = await run(({ progress }) => {
      for (let n = 0; n < 1_000_000; n++) progress(1, 'done');
    });
    expect(heard.length).toBeLessThan(4_000);
    expect(steps).toBe(heard.length);
  });

  it('hostile: the notes of steps that are not told are not read', async () => {
    let read = 0;
    const note = { toString: () => `note ${read++}` } as unknown as string;
    const { heard } = await run(({ progress }) => {
      for (let n = 0; n < MANY; n++) progress(0.5, note);
    });
    expect(read).toBe(heard.length);
  });

  it('benign: a thousand steps are told one by one', async () => {
    const { heard } = await run(({ progress }) => {
      for (let n = 1; n <= 1_000; n++) progress(n / 2_000, `step ${n}`);
    });
    expect(heard).toHaveLength(1_000);
  });

  it('hostile: an error with 100,000 suggestions, issues and standing effects is short', async () => {
    const lists = {
      suggestions: Array.from({ length: MANY }, () => 'try'),
      standing: Array.from({ length: MANY }, () => 'stands'),
      issues: Array.from({ length: MANY }, () => ({ path: ['a'], message: 'no' })),
    };
    for (const more of [
      lists,
      { suggestions: [LONG], issues: [{ path: [LONG], message: LONG }] },
    ]) {
      const { result } = await run(() => {
        throw new ToolFailure('EXECUTION_FAILED', 'many', more);
      });
      expect(JSON.stringify(result.error).length).toBeLessThan(20_000);
      expect(result.error?.suggestions.length).toBeLessThanOrEqual(100);
    }
  });

  it('hostile: a list in an error that never ends does not hang the process', async () => {
    const endless = new Proxy([], {
      get: (_target, key) =>
        key === 'length' ? Number.MAX_SAFE_INTEGER : (Reflect.get([], key) ?? 'x'),
    });
    const { result } = await run(() => {
      throw new ToolFailure('EXECUTION_FAILED', 'endless', { suggestions: endless });
    });
    expect(result.error?.suggestions).toHaveLength(100);
  });

  it('hostile: a retry that is to come in a thousand years is not made at once', async () => {
    const { createRuntime } = await import('../crib/create-runtime.ts');
    let fired = 0;
    const timer = createRuntime().after(1e15, () => void fired++);
    await new Promise((resolve) => setTimeout(resolve, 20));
    timer.cancel();
    expect(fired).toBe(0);
  });
});

describe('threat: a result that is not what it seems, or has no end', () => {
  const SECRET = 'canary-secret-value-1';
  const resultOf = async (value: unknown) => {
    const crib = await testCrib([aTool({ run: (() => value) as never })]);
    const result = await crib.execute('echo', {});
    return { crib, result };
  };

  it('hostile: a getter that answers otherwise when it is read again changes nothing that was judged', async () => {
    const changing = () => {
      let reads = 0;
      return () => (reads++ === 0 ? 'fine' : SECRET);
    };
    const at = (target: object, key: string | number) =>
      Object.defineProperty(target, key, { enumerable: true, get: changing() });
    const sly = at({ list: [at([], 0)] }, 'text');
    const { result } = await resultOf(sly);
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(result.data).toEqual({ list: [['fine']], text: 'fine' });
  });

  it('hostile: a proxy that names other fields when it is asked again hands none of them out', async () => {
    let asked = 0;
    const sly = new Proxy<Record<string, string>>(
      { a: 'fine', b: SECRET },
      { ownKeys: () => (asked++ === 0 ? ['a'] : ['a', 'b']) },
    );
    const { result } = await resultOf({ sly });
    expect(result.data).toEqual({ sly: { a: 'fine' } });
  });

  it('hostile: what a tool changes in its result later changes nothing', async () => {
    const kept: { text: string; more: { list: unknown[] } } = { text: 'fine', more: { list: [1] } };
    const { result } = await resultOf(kept);
    kept.text = SECRET;
    kept.more.list.push(SECRET);
    expect(result.data).toEqual({ text: 'fine', more: { list: [1] } });
  });

  it.each([
    ['a list with four billion places', () => Object.assign([], { length: 4_294_967_295 })],
    [
      'a list that holds another twice, sixty times over',
      () => {
        let list: unknown = ['x'];
        for (let n = 0; n < 60; n++) list = [list, list];
        return list;
      },
    ],
    [
      'a proxy with four billion items',
      () =>
        new Proxy([], {
          get: (target, key) => (key === 'length' ? 4e9 : Reflect.get(target, key)),
        }),
    ],
  ])('hostile: %s is refused', async (_name, make) => {
    const { result } = await resultOf(make());
    expect(result.error?.code).toBe('OUTPUT_INVALID');
  });

  it('hostile: so it is in an object with more fields than are copied at once', async () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, n]));
    let reads = 0;
    Object.defineProperty(many, 'k7', {
      enumerable: true,
      get: () => (reads++ === 0 ? 'fine' : SECRET),
    });
    const { result } = await resultOf({ many });
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(result.data).toMatchObject({ many: { k7: 'fine', k8: 8, k1999: 1999 } });
  });

  it('benign: a hundred thousand keys come whole or by their handle', async () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, n]));
    const { result } = await resultOf(many);
    expect(result.success).toBe(true);
  });
});
