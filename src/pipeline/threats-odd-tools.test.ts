/** The threat: a tool that throws or returns odd values ends or wedges the process that runs it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ODD_RESULTS, ODD_THROWN } from '../../test/fixtures/odd-values.ts';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import { isErrorCode } from '../contract/errors.ts';
import type { ToolResult } from '../contract/result.ts';
import type { ToolDefinition } from '../contract/tool.ts';
import { createMemoryStore } from '../stores/memory/create-memory-store.ts';

type Definition = Partial<ToolDefinition<never, unknown>>;

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(typeof reason);

beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

const isResult = (result: ToolResult): boolean =>
  typeof result.success === 'boolean' &&
  typeof result.metadata.executionId === 'string' &&
  (result.success ||
    (isErrorCode(result.error?.code) &&
      typeof result.error.message === 'string' &&
      result.error.message.length <= 2000 &&
      result.error.suggestions.every((each) => typeof each === 'string')));

/** Calls the tool, and checks what must hold whatever it does: a result, a record, an end. */
const abuse = async (
  definition: Definition,
  call: { readonly name?: unknown; readonly input?: unknown; readonly as?: unknown } = {},
): Promise<ToolResult> => {
  const store = createMemoryStore();
  const crib = await testCrib([aTool(definition)], { store });
  const { name = 'echo', input = {}, as } = call;
  unhandled.length = 0;
  const result = await within(
    20_000,
    // Called later, so that a synchronous throw counts as a rejection.
    Promise.resolve().then(() => crib.execute(name as string, input, as as never)),
  );
  expect(isResult(result)).toBe(true);
  expect(() => JSON.stringify(result)).not.toThrow();
  const rows = await store.audit.query({ executionId: result.metadata.executionId });
  expect(rows.filter(({ kind }) => kind === 'outcome')).toHaveLength(1);
  expect(await store.intents.open()).toEqual([]);
  await within(20_000, crib.close());
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
  return result;
};

const TIERS = ['read_only', 'write'] as const;

describe('threat: a tool that throws odd values', () => {
  const cases = Object.entries(ODD_THROWN);

  it.each(cases)('at once and later, the call ends with a coded error: %s', async (_name, make) => {
    for (const tier of TIERS) {
      const sync: Definition = {
        tier,
        run: () => {
          throw make();
        },
      };
      const later: Definition = { tier, run: () => Promise.reject(make()) };
      for (const definition of [sync, later]) {
        const { success } = await abuse(definition);
        expect(success).toBe(false);
      }
    }
  });

  it.each(cases)('in handleError, the call ends with a coded error: %s', async (_name, make) => {
    const handleError = (): never => {
      throw make();
    };
    const { error } = await abuse({ handleError, run: () => Promise.reject(new Error('mine')) });
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED', message: 'mine' });
  });

  it.each(cases)(
    'in shouldRetry, initialize, targets and validators, the call ends with a result: %s',
    async (_name, make) => {
      const fail = (): never => {
        throw make();
      };
      const retry = {
        maxRetries: 2,
        backoff: { type: 'none' },
        retryableErrors: ['EXECUTION_FAILED'],
        shouldRetry: fail,
      } as const;
      const failing = { run: () => Promise.reject(new Error('mine')) };
      expect((await abuse({ ...failing, retry })).error?.code).toBe('EXECUTION_FAILED');
      expect((await abuse({ initialize: async () => fail() })).success).toBe(false);
      expect((await abuse({ initialize: fail })).success).toBe(false);
      const validators = [{ name: 'rule', check: fail }];
      expect((await abuse({ validators })).error?.code).toBe('VALIDATION_ERROR');
      const risky: Definition = { tier: 'external_api', category: 'api', targets: fail };
      expect((await abuse(risky)).success).toBe(false);
      const program: Definition = { tier: 'external_api', category: 'api', programs: fail };
      expect((await abuse(program)).success).toBe(false);
    },
  );

  it.each(cases)(
    'in preconditions and effects, the call ends with a result: %s',
    async (_name, make) => {
      const fail = (): never => {
        throw make();
      };
      const precondition = {
        type: 'state',
        description: 'odd',
        critical: true,
        check: fail,
      } as const;
      const unmet = await abuse({ preconditions: [precondition] as never });
      expect(unmet.error?.code).toBe('PRECONDITION_FAILED');
      const effect = (more: object) =>
        ({
          type: 'notification',
          event: 'e',
          description: 'odd',
          reversible: true,
          ...more,
        }) as never;
      const failed = await abuse({ effects: [effect({ apply: fail })] });
      expect(failed.error?.code).toBe('EFFECT_FAILED');
      const stuck = await abuse({
        effects: [
          effect({ apply: async () => undefined, rollback: fail }),
          effect({ apply: fail }),
        ],
      });
      expect(stuck.error?.code).toBe('EFFECT_FAILED');
    },
  );
});

describe('threat: a tool that returns odd values', () => {
  const cases = Object.entries(ODD_RESULTS);

  it.each(cases)('at once and later, the call ends with a result: %s', async (name, make) => {
    for (const tier of TIERS) {
      await abuse({ tier, run: make });
      // The language itself calls the `then` of what an async function returns: nobody can help there.
      if (!name.includes('then of its own')) await abuse({ tier, run: async () => make() });
    }
  });

  it.each(cases)(
    'with an output schema, an undo, a cache and a key, the call ends with a result: %s',
    async (_name, make) => {
      await abuse({ run: make, output: { type: 'object' } });
      await abuse({ run: make, tier: 'write', undo: async () => undefined });
      await abuse({ run: make, cache: { ttlMs: 1000 } });
      await abuse({ run: make, tier: 'write' }, { as: { idempotencyKey: 'k' } });
      await abuse({ run: make }, { as: { audience: 'model' } });
    },
  );

  it.each(cases)('from handleError, the call ends with a result: %s', async (_name, make) => {
    const run = () => Promise.reject(new Error('mine'));
    const { error } = await abuse({ run, handleError: make as never });
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED', message: 'mine' });
  });

  it('a thenable that resolves to itself ends the call with a result', async () => {
    const self = Object.defineProperty({}, 'then', {
      value: (resolve: (value: unknown) => void) => resolve(self),
    });
    await abuse({ run: () => self });
  });

  it('an error of the table with odd fields from handleError ends the call with a result', async () => {
    const odd = { code: 'LOCK', message: 5, suggestions: [Symbol('x')], type: {}, issues: 'none' };
    const run = () => Promise.reject(new Error('mine'));
    const { error } = await abuse({ run, handleError: () => odd as never });
    expect(error).toMatchObject({ code: 'LOCK', type: 'resource', suggestions: [] });
  });
});

describe('threat: a tool that uses its context in odd ways', () => {
  const odd: Readonly<Record<string, (context: ToolContext) => unknown>> = {
    'warns with a symbol': ({ warn }) => warn(Symbol('x') as never),
    'warns with an object': ({ warn }) => warn({ length: 99 } as never),
    'reports a progress of nothing': ({ progress }) => progress(Number.NaN, 7 as never),
    'charges nonsense': ({ charge }) => charge({ cost: Number.NaN, tokens: Number.NaN }),
    'charges nothing at all': ({ charge }) => charge(undefined as never),
    'logs itself': ({ logger }) => {
      const fields: Record<string, unknown> = {};
      fields.self = fields;
      logger.warn('odd', fields);
    },
    'logs a symbol': ({ logger }) => logger.warn(Symbol('x') as never),
    'calls a tool without a name': ({ call }) => call(null as never, {}),
    'calls a tool whose name is a symbol': ({ call }) => call(Symbol('x') as never, {}),
    'calls a tool with a proxy': ({ call }) => call('echo', new Proxy({}, { ownKeys: () => [] })),
  };
  it.each(Object.entries(odd))(
    'the call ends with a result when the tool uses %s',
    async (_name, use) => {
      await abuse({ run: ((_input: never, context: ToolContext) => use(context)) as never });
    },
  );

  it('a listener of progress that throws does not fail the call', async () => {
    const run = (_input: never, { progress }: ToolContext) => progress(0.5, 'half');
    const onProgress = () => {
      throw new Error('mine');
    };
    expect((await abuse({ run: run as never }, { as: { onProgress } })).success).toBe(true);
  });
});

describe('threat: a call made in odd ways', () => {
  it.each([
    ['null', null],
    ['undefined', undefined],
    ['a number', 5],
    ['an object', {}],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['no character', ''],
    ['a million characters', 'x'.repeat(1_000_000)],
    ['__proto__', '__proto__'],
  ])('a tool name of %s is refused and recorded', async (_what, name) => {
    const result = await abuse({}, { name: name === undefined ? null : name });
    expect(result.error?.code).toMatch(/^(VALIDATION_ERROR|TOOL_NOT_FOUND)$/);
  });

  const fields: Readonly<Record<string, unknown>> = {
    idempotencyKey: 5,
    version: 5,
    timeoutMs: 'soon',
    signal: {},
    approvalId: {},
    traceId: 5,
    flowId: [],
    onProgress: 'call me',
    dryRun: 'yes',
    audience: 7,
    userId: 5,
    agentId: {},
    sessionId: null,
    loopId: 1n,
    roles: 'owner',
    permissions: { length: 1 },
    isolation: 9,
    approver: 'me',
  };
  it.each(Object.entries(fields))(
    'an option %s of the wrong type is refused',
    async (key, value) => {
      let ran = 0;
      const run = () => void ran++;
      const { error } = await abuse({ run }, { as: { [key]: value } });
      expect([error?.code, error?.issues?.[0]?.path, ran]).toEqual(['VALIDATION_ERROR', [key], 0]);
    },
  );

  it.each([NaN, -1, Number.POSITIVE_INFINITY])(
    'a time limit of %d is refused',
    async (timeoutMs) => {
      expect((await abuse({}, { as: { timeoutMs } })).error?.code).toBe('VALIDATION_ERROR');
    },
  );

  it.each([5, 'ada', Symbol('x'), () => 1])('options that are %o are refused', async (as) => {
    expect((await abuse({}, { as })).error?.code).toBe('VALIDATION_ERROR');
  });

  it('options that throw when they are read are refused', async () => {
    const as = Object.defineProperty({}, 'userId', {
      get: () => {
        throw new Error('mine');
      },
    });
    expect((await abuse({}, { as })).error?.code).toBe('VALIDATION_ERROR');
  });

  it('benign: no options, and all of them, work', async () => {
    expect((await abuse({})).success).toBe(true);
    const as = { userId: 'ada', roles: [], permissions: ['*'], timeoutMs: 1000, dryRun: false };
    const more = { signal: AbortSignal.timeout(5000), audience: 'program', version: undefined };
    expect((await abuse({}, { as: { ...as, ...more } })).success).toBe(true);
  });
});
