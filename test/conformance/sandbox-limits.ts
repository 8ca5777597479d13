/** Bombs, and that each is stopped soon after its limit while the host goes on living. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sized } from '../guarantees/size.ts';
import { failureOf, type SandboxUnderTest, skip, turnsDuring } from './sandbox-under-test.ts';

const TIME_LIMIT = 1000;
/** For what only time ends: it is as endless after half of it. */
const ENDLESS_LIMIT = sized(500, TIME_LIMIT);
/** For what another limit ends: a busy machine may take seconds until then. */
const UNREACHED_LIMIT = 10_000;
/** What is not stopped runs for ever; the rest of the time is for a busy machine. */
const GRACE = 10_000;
const LIMITS = { memoryMb: 64, outputBytes: 1_000_000, processes: 32 };

/** Body of the code, and the codes that it may end with. Ending well is never one of them. */
const BOMBS: readonly (readonly [string, string, readonly string[]])[] = [
  ['endless loop', 'for (;;) {}', ['TIMEOUT']],
  ['endless loop in a getter of the value', 'return { get x() { for (;;) {} } };', ['TIMEOUT']],
  [
    'endless loop in the message of the error',
    'throw { get message() { for (;;) {} } };',
    ['TIMEOUT'],
  ],
  [
    'endless loop of microtasks',
    'const again = () => Promise.resolve().then(again); return again();',
    ['TIMEOUT', 'SANDBOX_ERROR'],
  ],
  ['endless await', 'for (;;) await null;', ['TIMEOUT']],
  [
    'growing microtasks',
    'const again = () => { void Promise.resolve().then(again); void Promise.resolve().then(again); }; again(); await new Promise(() => {});',
    ['TIMEOUT', 'SANDBOX_ERROR'],
  ],
  [
    'promise that never settles',
    'await new Promise(() => {});',
    ['TIMEOUT', 'SANDBOX_ERROR', 'EXECUTION_FAILED'],
  ],
  [
    'thenable that never answers',
    'return { then() {} };',
    ['TIMEOUT', 'SANDBOX_ERROR', 'EXECUTION_FAILED'],
  ],
  [
    'deep recursion',
    'const dive = () => 1 + dive(); return dive();',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED'],
  ],
  [
    'deep recursion in JSON',
    'let deep = []; for (let i = 0; i < 5e6; i++) deep = [deep]; return deep;',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED', 'TIMEOUT'],
  ],
  [
    'recursion that is caught again and again',
    'const dive = () => { for (;;) { try { dive(); } catch {} } }; dive();',
    ['TIMEOUT', 'SANDBOX_ERROR'],
  ],
  [
    '10 GB in arrays',
    'const all = []; for (;;) all.push(new Array(1e5).fill(1));',
    ['SANDBOX_ERROR', 'TIMEOUT'],
  ],
  [
    '10 GB in buffers',
    'const all = []; for (let i = 0; i < 100; i++) all.push(new Uint8Array(1e8).fill(1)); return all.length;',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED', 'TIMEOUT'],
  ],
  [
    '10 GB in one buffer',
    'const it = new Uint8Array(10e9); it.fill(1); return it.length;',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED', 'TIMEOUT'],
  ],
  [
    'text that doubles',
    'let text = "x"; for (;;) text += text;',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED', 'TIMEOUT'],
  ],
  [
    'text that is repeated',
    'const all = []; for (;;) all.push("xy".repeat(1e7) + all.length);',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED', 'TIMEOUT'],
  ],
  [
    'array with a huge length',
    'const all = new Array(2 ** 32 - 1); for (;;) all.join();',
    ['SANDBOX_ERROR', 'EXECUTION_FAILED', 'TIMEOUT'],
  ],
  ['sort that compares for ever', '[3, 2, 1].sort(() => { for (;;) {} });', ['TIMEOUT']],
  [
    'regular expression that backtracks',
    'for (;;) /^(a+)+$/.test("a".repeat(40) + "b");',
    ['TIMEOUT', 'SANDBOX_ERROR', 'EXECUTION_FAILED'],
  ],
  [
    'huge power of a big integer',
    'for (;;) { const big = 3n ** 3000000n; if (big === 0n) break; }',
    ['TIMEOUT', 'SANDBOX_ERROR', 'EXECUTION_FAILED'],
  ],
  [
    'map that grows',
    'const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });',
    ['SANDBOX_ERROR', 'TIMEOUT'],
  ],
  ['endless loop in eval', 'return eval("for (;;) {}");', ['TIMEOUT']],
];

/** What writes too much is stopped by that, long before its time is over. */
const FLOODS: readonly (readonly [string, string])[] = [
  [
    '1 GB of output',
    'const line = "x".repeat(1000); for (let i = 0; i < 1e6; i++) console.log(line);',
  ],
  [
    '1 GB of errors',
    'const line = "x".repeat(1000); for (let i = 0; i < 1e6; i++) console.error(line);',
  ],
  ['output that never ends', 'for (;;) { console.log("x".repeat(1000)); await null; }'],
  ['value that is too large', 'return "x".repeat(5e6);'],
];

const limitFor = (codes: readonly string[]): number => {
  if (!codes.includes('TIMEOUT')) return UNREACHED_LIMIT;
  return codes[0] === 'TIMEOUT' ? ENDLESS_LIMIT : TIME_LIMIT;
};

const describeBombs = (test: SandboxUnderTest): void => {
  const { code, run, can } = test;
  it.each(BOMBS)('%s is stopped', async (_, body, codes) => {
    const started = performance.now();
    const timeLimit = limitFor(codes) + (can.startMs ?? 0);
    const config = { timeLimit, resourceLimits: LIMITS };
    const failure = await failureOf(code(body, {}, { config }));
    expect(performance.now() - started).toBeLessThan(timeLimit + GRACE);
    expect(codes).toContain(failure.code);
  });

  if (can.trusted === undefined) {
    it('a loop inside the engine is stopped', async () => {
      const body = 'return [].indexOf.call({ length: 2 ** 53 - 1 }, 1);';
      const timeLimit = TIME_LIMIT + (can.startMs ?? 0);
      expect((await failureOf(code(body, {}, { config: { timeLimit } }))).code).toBe('TIMEOUT');
    });
  } else {
    const why = `ending a thread does not stop V8 itself, and ${can.trusted}`;
    skip(test, 'a loop inside the engine is stopped', why);
  }

  it('loading that never ends is stopped', async () => {
    const timeLimit = TIME_LIMIT + (can.startMs ?? 0);
    const task = { kind: 'code', code: 'for (;;) {}\nexport const run = 1;', input: {} } as const;
    const started = performance.now();
    expect((await failureOf(run(task, { config: { timeLimit } }))).code).toBe('TIMEOUT');
    expect(performance.now() - started).toBeLessThan(timeLimit + GRACE);
  });

  it.each(FLOODS)('%s is stopped', async (_, body) => {
    const config = { timeLimit: 20_000, resourceLimits: LIMITS };
    expect((await failureOf(code(body, {}, { config }))).code).toBe('OUTPUT_TOO_LARGE');
  });

  it('the host answers others while an endless loop runs', async () => {
    const timeLimit = TIME_LIMIT + (can.startMs ?? 0);
    const turns = await turnsDuring(code('for (;;) {}', {}, { config: { timeLimit } }));
    // A host that is held up has none or one; how many there are depends on the machine.
    expect(turns).toBeGreaterThan(3);
  });

  it('the sandbox works as before after all of that', async () => {
    expect((await code('return input + 1;', 1)).value).toBe(2);
  });

  it('less than the limits is allowed', async () => {
    const body =
      'const all = []; for (let i = 0; i < 1e4; i++) all.push("x".repeat(100));\n' +
      'for (let i = 0; i < 100; i++) console.log("x".repeat(100));\n' +
      'return all.join("").length;';
    const { value } = await code(body, {}, { config: { resourceLimits: LIMITS } });
    expect(value).toBe(1_000_000);
  });
};

const describeCancelling = ({ code, can }: SandboxUnderTest): void => {
  it.each([
    ['an endless loop', 'for (;;) {}'],
    ['a promise that never settles', 'await new Promise(() => {});'],
    ['an endless await', 'for (;;) await null;'],
  ])('the signal ends %s at once', async (_, body) => {
    const abort = new AbortController();
    const run = failureOf(code(body, {}, { signal: abort.signal }));
    await Promise.race([run, sleep(200 + (can.startMs ?? 0))]);
    const started = performance.now();
    abort.abort();
    const { code: ended } = await run;
    // A promise that nobody can settle any more may be told before the signal comes.
    expect(
      body.includes('Promise') ? ['CANCELLED', 'SANDBOX_ERROR', 'EXECUTION_FAILED'] : ['CANCELLED'],
    ).toContain(ended);
    expect(performance.now() - started).toBeLessThan(GRACE);
  });

  it('a signal that has fired already runs nothing', async () => {
    const asked: string[] = [];
    const host = {
      request: async (method: string) => {
        asked.push(method);
      },
    };
    const run = code('await context.call("x", 1);', {}, { signal: AbortSignal.abort(), host });
    expect((await failureOf(run)).code).toBe('CANCELLED');
    await sleep(50);
    expect(asked).toEqual([]);
  });
};

export const describeLimits = (test: SandboxUnderTest): void => {
  if (!test.can.code) return;
  describe('limits', () => describeBombs(test));
  describe('cancellation', () => describeCancelling(test));
};
