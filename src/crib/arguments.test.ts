/** Every public method, with what no method can take: a coded error, and no effect. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CribHost } from '../contract/crib-host.ts';
import { isErrorCode } from '../contract/errors.ts';
import { createCribHost } from './create-crib.ts';

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('read');
    },
  },
);
const withdrawn = Proxy.revocable({}, {});
withdrawn.revoke();
const WRONG: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['an object', {}],
  ['a list', []],
  ['a symbol', Symbol('x')],
  ['a function', () => {}],
  ['a proxy that throws', hostile],
  ['a revoked proxy', withdrawn.proxy],
];

/** The methods whose first argument may be left out, and takes an object; the rest refuse all. */
const OPTIONAL: readonly string[] = [
  'approvals.list',
  'audit.query',
  'audit.replayAll',
  'audit.verify',
  'usage.summary',
  'health.check',
  'tools.list',
  'tools.search',
  'tools.registerAll',
  'tools.tokenReport',
  'tools.dependencies',
  'tools.forAiSdk',
  'tools.forOpenAI',
  'tools.forAnthropic',
  'tools.forLangChain',
  'tools.forOpenAIAgents',
  'tools.forGemini',
  'tools.forMastra',
  'tools.lock.forget',
  ...['metrics.summary', 'metrics.history', 'metrics.heat', 'metrics.watch'],
  ...['servers.resources', 'servers.prompts', 'servers.templates'],
  ...['alerts.history', 'flows.list'],
  // Answers with the faults of what it was given.
  'flows.validate',
  ...['jobs.list', 'jobs.schedules', 'jobs.work', 'devices.list', 'packages.checkForUpdates'],
  // Take a list.
  ...['chains.execute', 'chains.validate', 'chains.optimize', 'chains.schedule'],
  // Takes a function.
  'servers.watch',
];
const WITHOUT: readonly string[] = [
  'permissions.list',
  'audit.checkpoint',
  'executions.running',
  'health.sandboxes',
  'health.latest',
  'health.circuits',
  'health.schedules',
  'servers.list',
  'tools.lock.states',
  'events.has',
  'events.emit',
  ...['alerts.list', 'alerts.evaluate', 'flows.data', 'flows.fileFaults', 'flows.registered'],
  ...['jobs.counts', 'sources.list', 'packages.list', 'chains.resources'],
];
/** Take the definition of a flow, and say with this code what is wrong with it. */
const DEFINITIONS: readonly string[] = [
  ...['flows.registerData', 'flows.plan', 'flows.optimize', 'flows.graph'],
];
/** Of the registry, for the crib alone. */
const INTERNAL: readonly string[] = [
  ...[
    'tools.ready',
    'tools.load',
    'tools.unload',
    'tools.watch',
    'tools.close',
    'tools.unmetDependency',
  ],
];

/** Take no later argument, or the library behind them is not there. */
const UNASKED: readonly string[] = ['events.emit', 'tools.forMastra'];
/** Options whose getters throw throw what they like. */
const PLAIN = WRONG.filter(([label]) => label !== 'a proxy that throws');

const GROUPS = [
  ...['approvals', 'audit', 'executions', 'permissions', 'results', 'usage', 'servers', 'health'],
  ...['events', 'tools', 'tools.lock', 'metrics', 'alerts', 'flows', 'chains', 'jobs', 'devices'],
  ...['sources', 'packages'],
];

let crib: CribHost;
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'crib-arguments-'));
  crib = await createCribHost({ root, store: 'memory' });
  await crib.execute('write_file', { path: 'a.txt', content: 'kept' });
}, 60_000);
afterAll(() => crib.close());

const groupAt = (path: string): Record<string, unknown> =>
  path.split('.').reduce<unknown>((at, key) => Reflect.get(Object(at), key), crib) as never;

const codeOf = async (call: () => unknown): Promise<unknown> => {
  try {
    const answer = await call();
    return (answer as { error?: { code: string } } | undefined)?.error?.code ?? 'no error';
  } catch (error) {
    return (error as { code?: unknown }).code ?? String(error);
  }
};

describe('a public method that is handed what it cannot take', () => {
  it.each(GROUPS)('every method of crib.%s answers VALIDATION_ERROR', async (path) => {
    const group = groupAt(path);
    const wrong: string[] = [];
    for (const name of Object.keys(group)) {
      const method = group[name];
      const full = `${path}.${name}`;
      if (typeof method !== 'function' || WITHOUT.includes(full) || INTERNAL.includes(full))
        continue;
      for (const [label, value] of WRONG) {
        const isFine = OPTIONAL.includes(full) && !['null', 'a number', 'a symbol'].includes(label);
        const code = await codeOf(() => Reflect.apply(method, group, [value]));
        const isCoded = DEFINITIONS.includes(full) && code === 'CONFIG_INVALID';
        if (!isFine && !isCoded && code !== 'VALIDATION_ERROR')
          wrong.push(`${full}(${label}): ${String(code)}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each(WRONG)(
    'execute, start, explain and undo of %s answer VALIDATION_ERROR',
    async (_, value) => {
      const tool = value as string;
      expect(await codeOf(() => crib.execute(tool, {}))).toBe('VALIDATION_ERROR');
      expect(await codeOf(() => crib.start(tool, {}).result)).toBe('VALIDATION_ERROR');
      expect(await codeOf(() => crib.explain(tool, {}))).toBe('VALIDATION_ERROR');
      expect(await codeOf(() => crib.executions.undo(tool))).toBe('VALIDATION_ERROR');
    },
  );

  it.each(WRONG)('process of %s is a failure with VALIDATION_ERROR', async (_, value) => {
    const { status, errors } = await crib.process(value as never);
    expect([status, errors[0]?.code]).toEqual(['failure', 'VALIDATION_ERROR']);
  });

  it.each(GROUPS)('no method of crib.%s stumbles over a later argument', async (path) => {
    const group = groupAt(path);
    const uncoded: string[] = [];
    for (const name of Object.keys(group)) {
      const method = group[name];
      const full = `${path}.${name}`;
      if (typeof method !== 'function' || INTERNAL.includes(full) || UNASKED.includes(full))
        continue;
      for (const [label, value] of PLAIN) {
        for (const before of [['x'], ['x', {}], [[]], [{}]]) {
          const code = await codeOf(() => Reflect.apply(method, group, [...before, value]));
          if (code !== 'no error' && !isErrorCode(code)) {
            uncoded.push(`${full}(${JSON.stringify(before)}, ${label}): ${String(code)}`);
          }
        }
      }
    }
    expect(uncoded).toEqual([]);
  });

  it('threat: an undo without an id does not undo the newest call', async () => {
    for (const id of [undefined, null, '']) {
      const refused = await crib.executions.undo(id as unknown as string);
      expect(refused.error?.code).toBe('VALIDATION_ERROR');
    }
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('kept');
  });
});
