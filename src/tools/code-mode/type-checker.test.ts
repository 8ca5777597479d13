/** The process that checks a model's code: used again, never kept too long, and it dies alone. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TypeChecker, type TypeCheckerOptions } from './type-checker.ts';

vi.setConfig({ testTimeout: 120_000 });

const DAY = 86_400_000;
const opened: TypeChecker[] = [];

/** A busy machine may take longer than a model's code should. */
const open = (options: Partial<TypeCheckerOptions> = {}): TypeChecker => {
  const checker = new TypeChecker({ maxMs: 60_000, idleMs: DAY, ...options });
  opened.push(checker);
  return checker;
};

afterEach(async () => {
  await Promise.all(opened.splice(0).map((checker) => checker.close()));
});

const GOOD = 'const n: number = 1; return n;';
const FINE = { checked: true, issues: [] };
const BROKEN = { checked: false, reason: 'the check took too long or broke' };
const DIGITS = 'type D = "0"|"1"|"2"|"3"|"4"|"5"|"6"|"7"|"8"|"9";';
/** Takes all the memory it can get: each of these unions has ten thousand members. */
const HUNGRY = `${DIGITS}
${Array.from({ length: 1_900 }, (_, at) => `const v${at}:\`${at}\${D}\${D}\${D}\${D}\`="";`).join('\n')}`;
/** Takes minutes: every member is looked at by itself. */
const SLOW = `${DIGITS}
type Up<X> = X extends infer U ? U extends string ? Uppercase<U> : never : never;
${Array.from({ length: 1_900 }, (_, at) => `const v${at}:Up<\`${at}\${D}\${D}\${D}\${D}\`>="";`).join('\n')}`;

describe('a process that is kept', () => {
  let checker: TypeChecker;
  beforeAll(() => {
    checker = new TypeChecker({ maxMs: 60_000, idleMs: DAY });
  });
  afterAll(() => checker.close());

  it('serves all checks one after the other, and each gets its own answer', async () => {
    const sizes: number[] = [];
    const checks = [GOOD, 'return nowhere;', GOOD, 'const s: string = 1;'].map(async (code) => {
      const verdict = await checker.check(code, '');
      sizes.push(checker.size);
      return verdict;
    });
    expect(await Promise.all(checks)).toEqual([
      FINE,
      {
        checked: true,
        issues: [{ path: ['code', 1, 8], message: expect.stringContaining('nowhere') }],
      },
      FINE,
      {
        checked: true,
        issues: [{ path: ['code', 1, 7], message: expect.stringContaining('string') }],
      },
    ]);
    expect(sizes).toEqual([1, 1, 1, 1]);
  });

  it('takes code with any characters', async () => {
    const odd = JSON.stringify('\u2028\n\r\ud800 \u{1f600}\0"');
    expect(await checker.check(`const s: string = ${odd};\n\u2028return s;`, '')).toEqual(FINE);
    expect(await checker.check('return 1; // \ud800 \u{1f600}', '')).toEqual(FINE);
    expect(checker.size).toBe(1);
  });

  it('keeps nothing of one check for the next', async () => {
    const declared = 'declare const left: string; interface Array<T> { left: T }';
    expect(await checker.check('return left + [""][0]?.length + [1].left;', declared)).toEqual(
      FINE,
    );
    const { issues } = (await checker.check('return [left, [1].left];', '')) as typeof FINE;
    expect(issues).toHaveLength(2);
    expect(checker.size).toBe(1);
  });
});

describe('the process', () => {
  it('ends after it was idle, and the next check starts another', async () => {
    const checker = open({ idleMs: 20 });
    expect(await checker.check(GOOD, '')).toEqual(FINE);
    await vi.waitFor(() => expect(checker.size).toBe(0), 10_000);
    expect(await checker.check(GOOD, '')).toEqual(FINE);
  });

  it('ends with its owner', async () => {
    const checker = open();
    await checker.check(GOOD, '');
    expect(checker.size).toBe(1);
    await checker.close();
    expect(checker.size).toBe(0);
  });

  it('that could not be started, or finds no compiler, refuses nothing', async () => {
    const none = open({ compilerFiles: () => ['/nowhere/typescript.js'] });
    expect(await none.check(GOOD, '')).toMatchObject({
      checked: false,
      reason: expect.stringContaining('npm install'),
    });
    expect(none.size).toBe(0);
    const unstartable = open({ compilerFiles: () => ['x'.repeat(10_000_000)] });
    expect(await unstartable.check(GOOD, '')).toEqual(BROKEN);
    expect(unstartable.size).toBe(0);
  });
});

describe('a check that does not end well', () => {
  it('threat: takes its process with it, and no other, when it needs too much memory', async () => {
    const mostMs = 100_000;
    const checker = open({ memoryMb: 110, maxMs: mostMs });
    const began = performance.now();
    const [hungry, next] = [checker.check(HUNGRY, ''), checker.check(GOOD, '')];
    expect(await hungry).toEqual(BROKEN);
    // Nobody killed it.
    expect(performance.now() - began).toBeLessThan(mostMs);
    expect(await next).toEqual(FINE);
    expect(checker.size).toBe(1);
  });

  it('threat: takes its process with it when it takes too long; the next gets another', async () => {
    const checker = open({ maxMs: 5_000 });
    const began = performance.now();
    expect(await checker.check(SLOW, '')).toEqual(BROKEN);
    expect(performance.now() - began).toBeGreaterThan(4_900);
    expect(checker.size).toBe(0);
    const again = async () => expect(await checker.check(GOOD, '')).toEqual(FINE);
    await vi.waitFor(again, { timeout: 60_000 });
  });

  it('takes its process with it when that breaks; the next goes well', async () => {
    const checker = open();
    expect(await checker.check(GOOD, null as unknown as string)).toEqual(BROKEN);
    expect(checker.size).toBe(0);
    expect(await checker.check(GOOD, '')).toEqual(FINE);
  });
});
