/** Requests of sandboxed code to its host: plain data both ways, coded refusals, nothing after the end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../src/contract/errors.ts';
import type { SandboxHost } from '../../src/contract/sandbox.ts';
import { failureOf, type SandboxUnderTest } from './sandbox-under-test.ts';

interface Asked {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** Knows `call` (echoes its input) and refuses the rest, as the broker does. */
export const echoHost = (asked: Asked[] = []): SandboxHost => ({
  request: async (method, args) => {
    asked.push({ method, args });
    if (method === 'call') return args[1];
    throw new ToolFailure('PERMISSION_DENIED', `${method} is not allowed`, { suggestions: ['x'] });
  },
});

/** Each name of the context, and the request that it becomes. */
const NAMES: readonly (readonly [string, string, readonly unknown[]])[] = [
  ['context.fs.read("a.txt")', 'fs.read', ['a.txt']],
  ['context.fs.write("a.txt", "b")', 'fs.write', ['a.txt', 'b']],
  ['context.fs.list(".")', 'fs.list', ['.']],
  ['context.fs.stat("a")', 'fs.stat', ['a']],
  ['context.fs.remove("a")', 'fs.remove', ['a']],
  [
    'context.fetch("https://a.example/", { method: "POST" })',
    'fetch',
    ['https://a.example/', { method: 'POST' }],
  ],
  ['context.exec("git", ["status"])', 'exec', ['git', ['status']]],
  ['context.call("other", { a: 1 })', 'call', ['other', { a: 1 }]],
  ['context.secret("KEY")', 'secret', ['KEY']],
  ['context.memory.read("working", "k")', 'memory.read', ['working', 'k']],
  ['context.memory.write("working", "k", [1])', 'memory.write', ['working', 'k', [1]]],
  ['context.logger.info("hello", { a: 1 })', 'logger.info', ['hello', { a: 1 }]],
  ['context.progress(0.5, "half")', 'progress', [0.5, 'half']],
  ['context.warn("careful")', 'warn', ['careful']],
  ['context.charge({ cost: 1 })', 'charge', [{ cost: 1 }]],
];

const describeData = ({ code }: SandboxUnderTest): void => {
  it.each(NAMES)('%s reaches the host', async (expression, method, args) => {
    const asked: Asked[] = [];
    const host: SandboxHost = {
      request: async (name, given) => {
        asked.push({ method: name, args: given });
        return { n: name };
      },
    };
    await code(`await ${expression};`, {}, { host });
    expect(asked).toEqual([{ method, args }]);
  });

  it('hands the answer over as plain data', async () => {
    const host: SandboxHost = {
      request: async () => ({ date: new Date(0), f: () => 1, list: [undefined, 1], a: { b: 'c' } }),
    };
    const { value } = await code('return await context.call("x", 1);', {}, { host });
    expect(value).toEqual({ date: '1970-01-01T00:00:00.000Z', list: [null, 1], a: { b: 'c' } });
  });

  it('an answer of nothing is undefined', async () => {
    const host: SandboxHost = { request: async () => undefined };
    const { value } = await code('return typeof await context.call("x", 1);', {}, { host });
    expect(value).toBe('undefined');
  });

  it('what the host gets has lost getters, functions and prototypes', async () => {
    const asked: Asked[] = [];
    const body =
      'class A { get x() { return 1; } f() {} }\n' +
      'await context.call("x", { a: new A(), d: new Date(0), f() {}, u: undefined, get g() { return 7; } });';
    await code(body, {}, { host: echoHost(asked) });
    expect(asked[0]?.args[1]).toEqual({ a: {}, d: '1970-01-01T00:00:00.000Z', g: 7 });
  });

  it('many at once are answered each by its own answer', async () => {
    const host: SandboxHost = {
      request: async (_, [, n]) => {
        await sleep(Number(n) % 7);
        return n;
      },
    };
    const body = 'return Promise.all(Array.from({ length: 50 }, (_, i) => context.call("x", i)));';
    const { value } = await code(body, {}, { host });
    expect(value).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });
};

const describeRefusals = ({ code }: SandboxUnderTest): void => {
  const CATCH =
    'catch (error) { return { code: error.code, message: error.message, is: error instanceof Error }; }';

  it('a rejection arrives as an error with its code', async () => {
    const { value } = await code(
      `try { await context.secret("K"); } ${CATCH}`,
      {},
      { host: echoHost() },
    );
    expect(value).toEqual({
      code: 'PERMISSION_DENIED',
      message: 'secret is not allowed',
      is: true,
    });
  });

  it('a refusal that the code lets through keeps its code', async () => {
    const failure = await failureOf(code('await context.secret("K");', {}, { host: echoHost() }));
    expect(failure.code).toBe('PERMISSION_DENIED');
    expect(failure.message).toContain('secret is not allowed');
  });

  it('a bug of the host tells the code nothing', async () => {
    const host: SandboxHost = {
      request: () => Promise.reject(new Error('password of the database: hunter2')),
    };
    const { value } = await code(`try { await context.secret("K"); } ${CATCH}`, {}, { host });
    expect(value).toMatchObject({ code: 'INTERNAL', is: true });
    expect(JSON.stringify(value)).not.toContain('hunter2');
  });

  it('without a host everything is refused', async () => {
    const { value } = await code(`try { await context.call("x", 1); } ${CATCH}`);
    expect(value).toMatchObject({ code: 'PERMISSION_DENIED', is: true });
  });

  it('an unawaited refusal harms nobody', async () => {
    const { value } = await code(
      'void context.secret("K"); await context.call("x", 1); return 1;',
      {},
      { host: echoHost() },
    );
    expect(value).toBe(1);
  });

  it('a request larger than the output may be is refused', async () => {
    const asked: Asked[] = [];
    const run = code(
      `try { await context.call("x", "x".repeat(3e6)); } ${CATCH}`,
      {},
      {
        host: echoHost(asked),
        config: { resourceLimits: { outputBytes: 100_000 } },
      },
    );
    const outcome = await run.then(
      ({ value }) => value,
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
    expect(asked).toEqual([]);
  });
};

const describeTime = ({ code, can }: SandboxUnderTest): void => {
  it('a slow host does count as time', async () => {
    const host: SandboxHost = { request: () => sleep(30_000, undefined, { ref: false }) };
    const timeLimit = 500 + (can.startMs ?? 0);
    const started = performance.now();
    const failure = await failureOf(
      code('await context.call("x", 1);', {}, { host, config: { timeLimit } }),
    );
    expect(failure.code).toBe('TIMEOUT');
    expect(performance.now() - started).toBeLessThan(timeLimit + 10_000);
  });

  it('what is asked at the end, or after it, does no harm', async () => {
    const asked: Asked[] = [];
    const body =
      'void Promise.resolve().then(async () => { for (;;) await context.call("x", 1); });\nreturn "done";';
    expect((await code(body, {}, { host: echoHost(asked) })).value).toBe('done');
    await sleep(50);
    const before = asked.length;
    await sleep(100);
    expect(asked.length).toBe(before);
  });

  it('an answer after the end is dropped', async () => {
    const answers: (() => void)[] = [];
    const host: SandboxHost = {
      request: () => new Promise<unknown>((resolve) => answers.push(() => resolve(1))),
    };
    expect(
      (await code('void context.call("x", 1); await null; return 1;', {}, { host })).value,
    ).toBe(1);
    for (const answer of answers) answer();
    await sleep(50);
    expect((await code('return 2;')).value).toBe(2);
  });
};

export const describeHostRequests = (test: SandboxUnderTest): void => {
  describe('host requests', () => {
    describeData(test);
    describeRefusals(test);
    describeTime(test);
  });
};
