/**
 * Options that are no object of named fields: a promise that nobody awaited, a Map, a caller whose
 * names are inherited. Read as empty options, they would give a call all rights of the program.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Crib } from '../contract/crib.ts';
import { defineFlow } from '../contract/define-flow.ts';
import { defineTool } from '../contract/define-tool.ts';
import { createCrib } from './create-crib.ts';

class InheritedCaller {
  get userId(): string {
    return 'bob';
  }
  get permissions(): readonly string[] {
    return [];
  }
}

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const FOREIGN: readonly (readonly [string, () => object])[] = [
  ['a promise of options', () => Promise.resolve({ userId: 'bob', permissions: [] })],
  ['a Map', () => new Map([['userId', 'bob']])],
  ['a Date', () => new Date(0)],
  ['an AbortSignal', () => new AbortController().signal],
  ['an object that inherits its names', () => new InheritedCaller()],
  ['a revoked proxy', revoked],
];

const ran: string[] = [];
const mark = defineTool({
  name: 'mark',
  description: 'Notes that it ran.',
  tier: 'read_only',
  input: { type: 'object' },
  run: () => {
    ran.push('ran');
    return 'ran';
  },
});
const walk = defineFlow({
  name: 'walk',
  version: '1.0.0',
  run: (flow) => flow.call(mark, {}),
});

let crib: Crib;
beforeAll(async () => {
  crib = (await createCrib({ store: 'memory', builtins: false, tools: [mark] })) as unknown as Crib;
  crib.flows.register(walk);
  crib.jobs.register('mark', () => ran.push('job'));
  await crib.execute('mark', {});
  ran.length = 0;
}, 60_000);
afterAll(() => crib.close());

const codeOf = async (call: () => unknown): Promise<unknown> => {
  try {
    const answer = (await call()) as { error?: { code: string }; errors?: { code: string }[] };
    return answer?.error?.code ?? answer?.errors?.[0]?.code ?? 'no error';
  } catch (error) {
    return (error as { code?: unknown }).code ?? String(error);
  }
};

describe('threat: options that are no options', () => {
  it.each(FOREIGN)(
    'every method that takes a caller refuses %s and runs nothing',
    async (_, make) => {
      const as = (): never => make() as never;
      const calls: Readonly<Record<string, () => unknown>> = {
        'execute by name': () => crib.execute('mark', {}, as()),
        'execute of a tool': () => crib.execute(mark, {}, as()),
        start: () => crib.start(mark, {}, as()).result,
        explain: () => crib.explain('mark', {}, as()),
        'explain of a tool': () => crib.explain(mark, {}, as()),
        process: () => crib.process({ operation: 'execute_single', tool: 'mark', input: {} }, as()),
        'executions.undo': () => crib.executions.undo('x', as()),
        'flows.start': () => crib.flows.start('walk', {}, as()),
        'flows.list': () => crib.flows.list({}, as()),
        'jobs.enqueue': () => crib.jobs.enqueue('mark', {}, as()),
        'jobs.list': () => crib.jobs.list({}, as()),
        'chains.execute': () => crib.chains.execute([{ tool: 'mark', input: {} }], {}, as()),
        'devices.list': () => crib.devices.list(as()),
        'results.read': () => crib.results.read('x', {}, as()),
      };
      const wrong: string[] = [];
      for (const [name, call] of Object.entries(calls)) {
        const code = await codeOf(call);
        if (code !== 'VALIDATION_ERROR') wrong.push(`${name}: ${String(code)}`);
      }
      expect(wrong).toEqual([]);
      expect(ran).toEqual([]);
    },
  );

  it('a promise in place of options is answered with the word await', async () => {
    const { error } = await crib.execute('mark', {}, Promise.resolve({}) as never);
    expect(error?.message).toContain('is an await missing?');
  });

  it.each(FOREIGN.slice(0, 4))(
    'filters and options of other methods refuse %s',
    async (_, make) => {
      const filter = (): never => make() as never;
      for (const call of [
        () => crib.audit.query(filter()),
        () => crib.jobs.work(filter()),
        () => crib.health.check(filter()),
        () => crib.usage.summary(filter()),
        () => createCrib(filter()),
      ]) {
        expect(await codeOf(call)).toBe('VALIDATION_ERROR');
      }
    },
  );

  it('an object of a class with fields of its own is taken as options', async () => {
    class OwnCaller {
      readonly userId = 'ada';
    }
    const { success } = await crib.execute('mark', {}, new OwnCaller());
    expect(success).toBe(true);
  });
});
