/** What code in a sandbox gets and gives: its input, its value, its output, its errors, a realm of its own. */
import { describe, expect, it } from 'vitest';
import { failureOf, type SandboxUnderTest, skip } from './sandbox-under-test.ts';

/** What crosses the border unchanged, in both directions. */
const PLAIN: readonly (readonly [string, unknown])[] = [
  ['nothing', null],
  ['a number', -1.5e300],
  ['an empty text', ''],
  ['a text with every kind of character', 'a"\\\u0000\u2028\ud83d\udd11ß\n'],
  ['lists and records', { a: [1, [2, { b: true }]], c: {} }],
  ['a record with awkward keys', { '': 1, 'a b': 2, constructor: 3, toString: 4 }],
  ['a long text', 'x'.repeat(200_000)],
];

/** What the code may return, and what arrives of it. */
const PLAINED: readonly (readonly [string, string, unknown])[] = [
  ['a date becomes text', 'new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['a map loses its entries', 'new Map([[1, 2]])', {}],
  ['a function in a record is left out', '{ f() {}, a: 1 }', { a: 1 }],
  ['an instance loses its class', 'new (class A { x = 1; get y() { return 2; } })()', { x: 1 }],
  ['nothing stays nothing', 'undefined', undefined],
  ['a function is nothing', '() => 1', undefined],
  ['a symbol is nothing', 'Symbol("x")', undefined],
  ['a promise is awaited', 'Promise.resolve([1])', [1]],
];

const describeValues = ({ code, run }: SandboxUnderTest): void => {
  it.each(PLAIN)('input and value cross unchanged: %s', async (_, value) => {
    expect((await code('return input;', value)).value).toEqual(value);
  });

  it('keeps a __proto__ key an own key, and no prototype', async () => {
    const input: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
    const { value } = await code(
      'return { keys: Object.keys(input), hit: input.polluted };',
      input,
    );
    expect(value).toEqual({ keys: ['__proto__'] });
  });

  it.each(PLAINED)('only plain data comes back: %s', async (_, expression, value) => {
    expect((await code(`return ${expression};`)).value).toEqual(value);
  });

  it('cannot return what has no JSON', async () => {
    expect(['SANDBOX_ERROR', 'EXECUTION_FAILED']).toContain(
      (await failureOf(code('const loop = {}; loop.loop = loop; return loop;'))).code,
    );
  });

  it('takes the default export when there is no run', async () => {
    const task = { kind: 'code', code: 'export default (a) => a + 1;', input: 1 } as const;
    expect((await run(task)).value).toBe(2);
  });

  it('refuses a module that exports neither', async () => {
    const task = { kind: 'code', code: 'export const other = 1;', input: 1 } as const;
    expect((await failureOf(run(task))).message).toMatch(/run/);
  });

  it('awaits at the top of the module', async () => {
    const text = 'const two = await Promise.resolve(2);\nexport const run = () => two;';
    expect((await run({ kind: 'code', code: text, input: 1 })).value).toBe(2);
  });
};

const describeOutput = ({ code }: SandboxUnderTest): void => {
  it('collects what the console prints', async () => {
    const body =
      'console.log("a", 1, { b: [2] }, null, undefined); console.error("bad"); return 1;';
    const { stdout, stderr } = await code(body);
    expect(stdout).toMatch(/^a 1 .*b.*2.* null undefined\n$/);
    expect(stderr).toBe('bad\n');
  });
};

const describeErrors = ({ code, run, can }: SandboxUnderTest): void => {
  it('tells message and line of an error', async () => {
    const failure = await failureOf(code('\nconst a = 1;\nthrow new TypeError("boom " + a);'));
    expect(['SANDBOX_ERROR', 'EXECUTION_FAILED']).toContain(failure.code);
    expect(failure.message).toContain('boom 1');
    expect(failure.message).toMatch(/tool\.js:4\b/);
  });

  it('tells the line of an error after an await', async () => {
    const failure = await failureOf(code('await null;\nawait null;\nnull.x;'));
    expect(failure.message).toMatch(/tool\.js:4\b/);
  });

  it('tells the line of a syntax error', async () => {
    const text = 'export const run = () => 1;\nconst = 2;\n';
    const failure = await failureOf(run({ kind: 'code', name: 'tool.js', code: text, input: {} }));
    expect(['SANDBOX_ERROR', 'EXECUTION_FAILED']).toContain(failure.code);
    expect(failure.message).toMatch(/SyntaxError/);
    // V8 tells the place of a syntax error to nobody but the terminal.
    if (can.bare === true) expect(failure.message).toMatch(/tool\.js:2\b/);
  });

  it('keeps the message short, however long the code made it', async () => {
    const failure = await failureOf(code('throw new Error("x".repeat(1e6));'));
    expect(failure.message.length).toBeLessThan(10_000);
  });

  it('does not let the code pick the code of its failure', async () => {
    const body = 'throw Object.assign(new Error("x"), { code: "APPROVAL_REQUIRED" });';
    expect((await failureOf(code(body))).code).not.toBe('APPROVAL_REQUIRED');
  });
};

const describeRealm = (test: SandboxUnderTest): void => {
  const { code, can } = test;
  it('shares no globals and no prototypes between two runs', async () => {
    await code('globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = null;');
    const body = 'return [typeof globalThis.left, typeof ({}).left, typeof [].map];';
    for (let i = 0; i < 4; i++) {
      expect((await code(body)).value).toEqual(['undefined', 'undefined', 'function']);
    }
  });

  it('draws other random numbers in every run', async () => {
    const runs = [];
    for (let i = 0; i < 5; i++) runs.push((await code('return Math.random();')).value);
    expect(new Set(runs).size).toBe(5);
    expect(runs.every((n) => typeof n === 'number' && n >= 0 && n < 1)).toBe(true);
  });

  it('runs several at the same time without mixing them up', async () => {
    const numbers = Array.from({ length: 8 }, (_, i) => i);
    const body =
      'globalThis.n = input; await null; console.log(globalThis.n); return globalThis.n;';
    const outcomes = await Promise.all(numbers.map((n) => code(body, n)));
    expect(outcomes.map(({ value }) => value)).toEqual(numbers);
    expect(outcomes.map(({ stdout }) => stdout)).toEqual(numbers.map((n) => `${n}\n`));
  });

  const bare = 'has the language and nothing of the host';
  if (can.bare !== true) {
    skip(test, bare, can.bare);
    return;
  }
  it(bare, async () => {
    const names =
      'process require module Buffer fetch setTimeout setInterval setImmediate WebSocket Worker ' +
      'XMLHttpRequest std os scriptArgs print navigator WebAssembly postMessage';
    const body =
      'return input.split(" ").filter((name) => typeof globalThis[name] !== "undefined");';
    expect((await code(body, names)).value).toEqual([]);
  });
};

export const describeCode = (test: SandboxUnderTest): void => {
  describe('values', () => describeValues(test));
  describe('output', () => describeOutput(test));
  describe('errors', () => describeErrors(test));
  describe('realm', () => describeRealm(test));
};
