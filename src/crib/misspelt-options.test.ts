/** Options that nobody knows: each is refused with the name that was meant, and nothing happens. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import type { CallAs } from '../contract/call-options.ts';
import { defineFlow } from '../contract/define-flow.ts';
import type { FlowContext } from '../contract/flow.ts';
import { createCrib } from './create-crib.ts';
import { openProject } from './open-project.ts';

interface Told {
  readonly code: unknown;
  readonly message: string;
}

const faultOf = async (call: () => unknown): Promise<Told> => {
  try {
    const answer = (await call()) as { error?: Told; errors?: readonly Told[] } | undefined;
    return answer?.error ?? answer?.errors?.[0] ?? { code: 'no error', message: '' };
  } catch (error) {
    return error as Told;
  }
};

const counting = async (): Promise<{ crib: TestCrib; runs: () => number }> => {
  let runs = 0;
  const run = () => {
    runs += 1;
    return runs;
  };
  return { crib: await testCrib([aTool({ run: run as never })]), runs: () => runs };
};

describe('a call with an unknown option', () => {
  it.each([
    [{ dryrun: true }, 'dryRun'],
    [{ dry_run: true }, 'dryRun'],
    [{ permission: [] }, 'permissions'],
    [{ timeout: 5 }, 'timeoutMs'],
    [{ userid: 'ada' }, 'userId'],
    [{ user: 'ada' }, 'did you mean userId?'],
    [{ session: 's' }, 'did you mean sessionId?'],
    [{ dryRun: true, aproval: 'x' }, 'known are'],
    [{ foo: 1 }, 'known are'],
    [JSON.parse('{"__proto__":{"dryRun":true}}'), '__proto__'],
  ])('%j is refused, says what may be meant, and runs nothing', async (as, meant) => {
    const { crib, runs } = await counting();
    for (const call of [
      () => crib.execute('echo', {}, as as CallAs),
      () => crib.start('echo', {}, as as CallAs).result,
      () => crib.explain('echo', {}, as as CallAs),
      () => crib.executions.undo('some-id', as as CallAs),
      () => crib.process({ operation: 'execute_single', tool: 'echo', input: {} }, as as CallAs),
    ]) {
      const fault = await faultOf(call);
      expect([fault.code, fault.message]).toEqual([
        'VALIDATION_ERROR',
        expect.stringContaining(meant),
      ]);
      expect(fault.message).not.toContain('?.');
    }
    expect(runs()).toBe(0);
  });

  it('is refused with an empty idempotency key: all calls without a key of their own would share it', async () => {
    const { crib, runs } = await counting();
    const fault = await faultOf(() => crib.execute('echo', {}, { idempotencyKey: '' }));
    expect(fault.code).toBe('VALIDATION_ERROR');
    expect(fault.message).toContain('idempotencyKey has to be a text that is not empty');
    expect(runs()).toBe(0);
  });

  it('is refused when the option is inherited, because the call would not see it', async () => {
    const { crib, runs } = await counting();
    class Options {
      get dryRun(): boolean {
        return true;
      }
    }
    for (const as of [Object.create({ dryRun: true }) as CallAs, new Options()]) {
      expect((await faultOf(() => crib.execute('echo', {}, as))).code).toBe('VALIDATION_ERROR');
    }
    expect(runs()).toBe(0);
  });

  it.each([
    [undefined],
    [{}],
    [{ dryRun: undefined, nonsense: undefined }],
    [Object.assign(Object.create(null) as object, { userId: 'ada' })],
    [{ userId: 'ada', roles: [], sessionId: 's', idempotencyKey: 'k', timeoutMs: 1000 }],
  ])('runs with options that are known: %j', async (as) => {
    const { crib, runs } = await counting();
    expect((await crib.execute('echo', {}, as as CallAs)).success).toBe(true);
    expect(runs()).toBe(1);
  });

  it('accepts an instance of a class that has its own fields', async () => {
    class Options {
      userId = 'ada';
      dryRun = true;
    }
    const { crib, runs } = await counting();
    expect((await crib.execute('echo', {}, new Options())).success).toBe(true);
    expect(runs()).toBe(0);
  });
});

describe('a request of several calls with an unknown field', () => {
  const call = { tool: 'echo', input: {} };
  it.each([
    [{ operation: 'execute_single', ...call, options: { dryrun: true } }, 'dryRun'],
    [{ operation: 'execute_single', ...call, options: { idempotencykey: 'k' } }, 'idempotencyKey'],
    [{ operation: 'execute_single', ...call, dryRun: true }, 'dryRun'],
    [{ operation: 'execute_chain', calls: [call], continueOnErr: true }, 'continueOnError'],
    [{ operation: 'execute_chain', calls: [call], continueOnError: 'no' }, 'continueOnError'],
    [{ operation: 'execute_chain', calls: [{ ...call, option: {} }] }, 'options'],
    [{ operation: 'orchestrate', calls: [{ ...call, id: 'a', dependson: ['b'] }] }, 'dependsOn'],
    [{ operation: 'discover', querry: 'x' }, 'query'],
    [{ operation: 'discover', query: 5 }, 'query'],
  ])('%j is a failure and runs nothing', async (request, meant) => {
    const { crib, runs } = await counting();
    const answer = await crib.process(request as never);
    expect([answer.status, answer.errors[0]?.code]).toEqual(['failure', 'VALIDATION_ERROR']);
    expect(answer.errors[0]?.message).toContain(meant);
    expect(runs()).toBe(0);
  });
});

describe('a method of the crib with an unknown option', () => {
  const cases: readonly (readonly [string, (crib: TestCrib) => unknown, string])[] = [
    ['audit.query', (c) => c.audit.query({ toolname: 'x' } as never), 'toolname'],
    ['audit.query', (c) => c.audit.query({ userid: 'x' } as never), 'did you mean userId?'],
    ['audit.query', (c) => c.audit.query({ limit: 'all' } as never), 'limit'],
    ['audit.query', (c) => c.audit.query({ status: 'failed' } as never), 'status'],
    ['approvals.list', (c) => c.approvals.list({ sate: 'denied' } as never), 'state'],
    [
      'approvals.decide',
      (c) => c.approvals.decide('x', { approve: true, by: 'a', rember: {} } as never),
      'did you mean remember?',
    ],
    ['usage.summary', (c) => c.usage.summary({ perod: '2026' } as never), 'did you mean period?'],
    ['results.read', (c) => c.results.read('h', { offest: 3 } as never), 'did you mean offset?'],
    ['results.read', (c) => c.results.read('h', {}, { userid: 'x' } as never), 'userId'],
    ['results.forget', (c) => c.results.forget({ tols: 'x' } as never), 'tool'],
    ['tools.list', (c) => c.tools.list({ teir: ['write'] } as never), 'tier'],
    ['tools.list', (c) => c.tools.list({ tier: 'write' } as never), 'list of texts'],
    ['tools.search', (c) => c.tools.search({ text: 'x', limits: 2 } as never), 'limit?'],
    ['tools.tokenReport', (c) => c.tools.tokenReport({ sources: ['mcp'] } as never), 'source?'],
    ['tools.forModel', (c) => c.tools.forModel('foo' as never), 'openai, anthropic'],
    ['tools.forModel', (c) => c.tools.forModel('openai', { tags: 'x' } as never), 'tags'],
    ['tools.forOpenAI', (c) => c.tools.forOpenAI({ filtre: {} } as never), 'did you mean filter?'],
    [
      'tools.forOpenAI',
      (c) => c.tools.forOpenAI({ caller: { dryrun: true } } as never),
      'did you mean dryRun?',
    ],
    [
      'jobs.register',
      (c) => c.jobs.register('j', () => 1, { concurency: 1 } as never),
      'concurrency?',
    ],
    ['jobs.enqueue', (c) => c.jobs.enqueue('tool', {}, { retry: 1 } as never), 'retries, backoff'],
    ['jobs.enqueue', (c) => c.jobs.enqueue('tool', {}, { dealyMs: 1 } as never), 'delayMs?'],
    ['flows.start', (c) => c.flows.start('f', {}, { planDigset: 'x' } as never), 'planDigest?'],
    ['events.on', (c) => c.events.on('call.finish' as never, () => {}), 'call.finished?'],
  ];
  it.each(cases)('%s answers VALIDATION_ERROR and names it', async (_, call, named) => {
    const { crib } = await counting();
    const fault = await faultOf(() => call(crib));
    expect([fault.code, fault.message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining(named),
    ]);
  });

  it.each([
    ['expiresAT', { subject: { user: 'ada' }, expiresAT: 5 }],
    ['usr', { subject: { usr: 'ada' } }],
    ['skipApproval', { subject: { user: 'ada' }, skipApproval: false }],
  ])('permissions.grant with %s gives no grant', async (name, over) => {
    const { crib } = await counting();
    const grant = { resource: 'tool:echo', actions: ['*'], skipsApproval: false, by: 'x', ...over };
    const fault = await faultOf(() => crib.permissions.grant(grant as never));
    expect([fault.code, fault.message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining(name),
    ]);
    expect(await crib.permissions.list()).toEqual([]);
  });
});

const DAILY = { cron: '@daily', type: 'work' };

describe('an option that is about one call, given where no call is made', () => {
  const cases: readonly (readonly [
    string,
    (crib: TestCrib, as: never) => unknown,
    object,
    string,
  ])[] = [
    ['flows.start', (c, as) => c.flows.start('f', {}, as), { dryRun: true }, 'crib.flows.plan'],
    ['flows.start', (c, as) => c.flows.start('f', {}, as), { idempotencyKey: 'k' }, 'runId'],
    ['flows.start', (c, as) => c.flows.start('f', {}, as), { flowUsd: 1 }, 'maxUsd'],
    ['flows.start', (c, as) => c.flows.start('f', {}, as), { audience: 'model' }, 'single call'],
    ['flows.cancel', (c, as) => c.flows.cancel('r', as), { dryRun: true }, 'no dryRun'],
    [
      'flows.requestApproval',
      (c, as) => c.flows.requestApproval('f', {}, as),
      { dryRun: true },
      'no dryRun',
    ],
    ['jobs.enqueue', (c, as) => c.jobs.enqueue('work', {}, as), { dryRun: true }, 'no dryRun'],
    ['jobs.enqueue', (c, as) => c.jobs.enqueue('work', {}, as), { timeoutMs: 5 }, 'register'],
    [
      'jobs.schedule',
      (c, as) => c.jobs.schedule('s', as),
      { ...DAILY, idempotencyKey: 'k' },
      'id of the schedule',
    ],
    ['jobs.schedule', (c, as) => c.jobs.schedule('s', as), { ...DAILY, delayMs: 5 }, 'delayMs'],
    ['jobs.remove', (c, as) => c.jobs.remove('j', as), { dryRun: true }, 'no dryRun'],
    ['devices.remove', (c, as) => c.devices.remove('d', as), { dryRun: true }, 'no dryRun'],
  ];
  it.each(cases)(
    '%s is refused with what to do instead, and does nothing',
    async (_, act, as, told) => {
      const { crib, runs } = await counting();
      const run = (flow: FlowContext) => flow.call('echo', {});
      crib.flows.register(defineFlow({ name: 'f', version: '1.0.0', run }));
      crib.jobs.register('work', () => crib.execute('echo', {}));
      const fault = await faultOf(() => act(crib, as as never));
      expect([fault.code, fault.message]).toEqual([
        'VALIDATION_ERROR',
        expect.stringContaining(told),
      ]);
      expect([runs(), await crib.flows.list(), await crib.jobs.list()]).toEqual([0, [], []]);
    },
  );

  it('who acts, and how a job is to be done, is taken as before', async () => {
    const { crib } = await counting();
    const as = { userId: 'ada', roles: ['member'], dailyUsd: 1 };
    crib.flows.register(defineFlow({ name: 'f', version: '1.0.0', run: async () => 1 }));
    crib.jobs.register('work', () => 1);
    const { runId } = await crib.flows.start('f', {}, { ...as, runId: 'r', version: '1.0.0' });
    expect((await crib.flows.get(runId, as))?.caller.userId).toBe('ada');
    const options = { ...as, idempotencyKey: 'k', traceId: 't', delayMs: 5, retries: 1 };
    expect(await crib.jobs.enqueue('work', {}, options)).toBeTypeOf('string');
  });
});

describe('a definition or payload that does not fit', () => {
  it('defineFlow refuses a misspelt undoOnFailure, which would leave effects behind', () => {
    const flow = { name: 'f', version: '1.0.0', run: async () => 1 };
    expect(() => defineFlow({ ...flow, undoOnFailur: true } as never)).toThrow(
      'Flow f: the field undoOnFailur is not known; did you mean undoOnFailure?',
    );
    expect(() => defineFlow({ ...flow, undoOnFailure: 'yes' } as never)).toThrow('true or false');
  });

  it('the messages about the input of a flow and the payload of a job say what is wrong', async () => {
    const { crib } = await counting();
    const input = z.strictObject({ a: z.string() });
    crib.flows.register(defineFlow({ name: 'f', version: '1.0.0', input, run: async () => 1 }));
    expect((await faultOf(() => crib.flows.start('f', { b: 1 }))).message).toMatch(
      /^The input does not fit the flow f: .*a: is required/,
    );
    expect((await faultOf(() => crib.jobs.enqueue('tool', { tol: 'x' }))).message).toMatch(
      /^The payload does not fit the type of job tool: .*tool: is required/,
    );
    const unread = await faultOf(() => crib.jobs.enqueue('tool', { n: 1n }));
    expect(unread.message).toContain('n: is of type bigint');
  });

  it('permissions.grant refuses a subject whose fields are all undefined', async () => {
    const { crib } = await counting();
    const grant = { resource: 'tool:echo', actions: ['*'], skipsApproval: false, by: 'x' };
    const subject = { user: undefined };
    const fault = await faultOf(() => crib.permissions.grant({ ...grant, subject } as never));
    expect([fault.code, fault.message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining('names nobody'),
    ]);
    expect(await crib.permissions.list()).toEqual([]);
    await crib.permissions.grant({ ...grant, subject: {} });
    expect(await crib.permissions.list()).toHaveLength(1);
  });
});

describe('createCrib with an option that is unknown or of the wrong type', () => {
  it.each([
    [{ polcy: {} }, 'did you mean policy?'],
    [{ aprover: () => true }, 'did you mean approver?'],
    [{ store: 'disk' }, "'memory'"],
    [{ store: { sqlit: 'x.db' } }, "'memory'"],
    [{ store: 5 }, "'memory'"],
    [{ root: '/missing/folder' }, 'folder'],
    [{ root: 5 }, 'root'],
    [{ approver: 'yes' }, 'approver'],
    [{ approver: {} }, 'approver'],
    [{ secrets: { KEY: 'x' } }, 'secrets'],
    [{ tools: {} }, 'tools'],
    [{ sources: [{}] }, 'sources'],
    [{ builtins: 'no' }, 'builtins'],
    [{ runtime: { log: console.log } }, 'log'],
    [{ policy: 'deny' }, 'policy'],
    [null, 'options'],
    ['memory', 'options'],
  ])('%j is refused with VALIDATION_ERROR', async (options, named) => {
    const fault = await faultOf(() => createCrib(options as never));
    expect([fault.code, fault.message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining(named),
    ]);
  });

  it('openProject refuses what is misspelt, and what the project decides', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'misspelt-'));
    const env = { HOME: folder, XDG_CONFIG_HOME: folder };
    for (const options of [{ aprover: () => true }, { root: folder }, { config: {} }, { env: 5 }]) {
      const fault = await faultOf(() => openProject(folder, { env, ...options } as never));
      expect(fault.code).toBe('VALIDATION_ERROR');
    }
  });
});

describe('a closed crib', () => {
  it('answers calls with a result that has a code, and other methods reject with it', async () => {
    const { crib, runs } = await counting();
    await crib.close();
    const refused = await crib.execute('echo', {});
    expect([refused.status, refused.error?.code, refused.error?.retryable]).toEqual([
      'failure',
      'STORE_UNAVAILABLE',
      false,
    ]);
    expect(refused.error?.message).toBe('This crib is closed.');
    expect((await crib.start('echo', {}).result).error?.code).toBe('STORE_UNAVAILABLE');
    expect((await faultOf(() => crib.audit.query())).code).toBe('STORE_UNAVAILABLE');
    expect((await faultOf(() => crib.explain('echo', {}))).code).toBe('STORE_UNAVAILABLE');
    expect((await faultOf(() => crib.executions.undo('x'))).code).toBe('STORE_UNAVAILABLE');
    expect(runs()).toBe(0);
  });
});

it('a correctly spelt dryRun changes no file', async () => {
  const root = await mkdtemp(join(tmpdir(), 'misspelt-'));
  const crib = await createCrib({ root, store: 'memory' });
  const input = { path: 'a.txt', content: 'x' };
  await crib.execute('write_file', input, { dryRun: true });
  await crib.execute('write_file', input, { dryrun: true } as CallAs);
  await expect(readFile(join(root, 'a.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
  await crib.close();
});
