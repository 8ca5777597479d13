import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { LOCAL_CALLER } from '../contract/caller.ts';
import { brokenRules, rulesFor } from './business-rules.ts';

const question = { input: { n: 1 }, facts: { caller: LOCAL_CALLER, now: 0 } };
const rule = (answer: unknown) => ({ name: 'r', check: () => answer as string | undefined });
const ask = async (...answers: unknown[]) =>
  (await brokenRules(answers.map(rule), question, fakeRuntime())).map(({ message }) => message);

describe('business rules', () => {
  it.each([undefined, null, false, '', 0])(
    'accept an input whose check returns %j',
    async (answer) => {
      expect(await ask(answer)).toEqual([]);
      expect(await ask(Promise.resolve(answer))).toEqual([]);
    },
  );

  it.each([true, 1, {}, [], new Error('x'), () => 'x'])(
    'refuse an input whose check returns %o',
    async (answer) => {
      expect(await ask(answer)).toEqual(['The rule r refuses this input.']);
    },
  );

  it('report every broken rule, each cut to 500 characters', async () => {
    expect(await ask('a', Promise.resolve('b'), undefined)).toEqual(['a', 'b']);
    expect((await ask('x'.repeat(5000)))[0]).toHaveLength(500);
  });

  it('refuse when they throw, at once or later', async () => {
    const thrower = {
      name: 'r',
      check: () => {
        throw new Error('no');
      },
    };
    const issues = await brokenRules([thrower], question, fakeRuntime());
    expect(issues[0]?.message).toBe('The rule r could not be checked.');
    expect(await ask(Promise.reject(new Error('no')))).toEqual([
      'The rule r could not be checked.',
    ]);
  });

  it('refuse when they do not answer, and leave no timer behind when they do', async () => {
    const runtime = fakeRuntime();
    const never = { name: 'r', check: () => new Promise<undefined>(() => undefined) };
    const asked = brokenRules([never], question, runtime);
    await runtime.advance(10_000);
    expect((await asked)[0]?.message).toBe('The rule r did not answer in time.');
    await brokenRules([rule(Promise.resolve())], question, runtime);
    expect(runtime.pendingTimers).toBe(0);
  });

  it('are those of the tool, of all tools and of its name, in this order', () => {
    const [own, all, named] = [rule('1'), rule('2'), rule('3')];
    const outside = { '*': [all], echo: [named], other: [rule('4')] };
    expect(rulesFor(aTool({ validators: [own] }), outside)).toEqual([own, all, named]);
    expect(rulesFor(aTool(), undefined)).toBeUndefined();
    expect(rulesFor(aTool({ name: 'toString' }), { echo: [named] })).toBeUndefined();
  });
});
