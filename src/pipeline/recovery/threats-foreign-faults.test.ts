/** The threat: one caller's faults keep everybody else from a tool that is well. */
import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../test/fixtures/test-crib.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import type { ToolDefinition } from '../../contract/tool.ts';

type Definition = Partial<ToolDefinition<never, unknown>>;

const EXECUTION = { loop: false, retry: { maxRetries: 0 } } as const;

/** A tool that fails as its input says. */
const open = (more: Definition = {}) => {
  const run = ({ fail }: { readonly fail?: string }) => {
    if (fail === 'plain') throw new Error('no');
    if (fail !== undefined) throw new ToolFailure(fail as ErrorCode);
    return 'fine';
  };
  const tool = aTool({ ...more, run: run as never });
  return testCrib([tool], { config: { execution: EXECUTION as never } });
};

type Opened = Awaited<ReturnType<typeof open>>;

const failOften = async (crib: Opened, fail: string, userId = 'eve') => {
  for (let n = 0; n < 8; n++) await crib.execute('echo', { fail }, { userId });
};

const codeFor = async (crib: Opened, userId: string) =>
  (await crib.execute('echo', {}, { userId })).error?.code;

describe('threat: the faults of one caller close a tool for all', () => {
  it.each([
    'NOT_FOUND',
    'VALIDATION_ERROR',
    'CONFLICT',
    'PERMISSION_DENIED',
    'SECURITY_VIOLATION',
    'PRECONDITION_FAILED',
    'AUTH_MISSING',
    'BUDGET_EXCEEDED',
    'RATE_LIMITED',
    'LOCK',
    'OUTPUT_TOO_LARGE',
    'DEPENDENCY_MISSING',
    'MODEL_NOT_CONFIGURED',
    'UNDO_EXPIRED',
    'NO_BRANCH_MATCHED',
    'CALL_CYCLE',
  ])('hostile: %s trips no breaker, not even that of the caller', async (code) => {
    const crib = await open();
    await failOften(crib, code);
    expect(await codeFor(crib, 'eve')).toBeUndefined();
    expect(await codeFor(crib, 'ada')).toBeUndefined();
  });

  it.each(['plain', 'EXECUTION_FAILED', 'SANDBOX_ERROR', 'NETWORK', 'SERVER_ERROR', 'TIMEOUT'])(
    'hostile: %s, which a caller can bring about, rests the tool for that caller alone',
    async (code) => {
      const crib = await open();
      await failOften(crib, code);
      expect(await codeFor(crib, 'eve')).toBe('CIRCUIT_OPEN');
      expect(await codeFor(crib, 'ada')).toBeUndefined();
      await crib.runtime.advance(30_000);
      expect(await codeFor(crib, 'eve')).toBeUndefined();
      expect(await codeFor(crib, 'eve')).toBeUndefined();
    },
  );

  it.each<[string, Definition, string]>([
    ['a server that does not answer', { server: 's' }, 'NETWORK'],
    ['a server that fails', { server: 's' }, 'SERVER_ERROR'],
    ['a server that is late', { server: 's' }, 'TIMEOUT'],
    ['the one host of the tool', { needs: { hosts: ['api.example'] } }, 'SERVER_ERROR'],
    ['a result that breaks its schema', {}, 'OUTPUT_INVALID'],
  ])('benign: %s rests the tool for all', async (_name, more, code) => {
    const crib = await open(more);
    await failOften(crib, code);
    expect(await codeFor(crib, 'ada')).toBe('CIRCUIT_OPEN');
  });

  it('hostile: a host that the caller chooses is not the fault of the tool', async () => {
    const crib = await open({ needs: { hosts: ['*'] } });
    await failOften(crib, 'NETWORK');
    expect(await codeFor(crib, 'ada')).toBeUndefined();
  });

  it('hostile: a caller who gives no time rests the tool for itself alone', async () => {
    const never = () => new Promise(() => undefined);
    let isStuck = true;
    const tool = aTool({ server: 's', run: (() => (isStuck ? never() : 'fine')) as never });
    const crib = await testCrib([tool], { config: { execution: EXECUTION as never } });
    for (let n = 0; n < 6; n++) {
      const late = crib.execute('echo', {}, { userId: 'eve', timeoutMs: 1 });
      await crib.runtime.advance(5);
      expect((await late).error?.code).toMatch(/TIMEOUT|CIRCUIT_OPEN/);
    }
    isStuck = false;
    expect(await codeFor(crib, 'ada')).toBeUndefined();
  });

  it('a thousand callers that fail are not kept for ever', async () => {
    const crib = await open();
    for (let n = 0; n < 1100; n++)
      await crib.execute('echo', { fail: 'plain' }, { userId: `u${n}` });
    await failOften(crib, 'plain');
    expect(await codeFor(crib, 'eve')).toBe('CIRCUIT_OPEN');
  });
});
