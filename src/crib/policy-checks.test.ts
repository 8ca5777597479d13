import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { aTool } from '../../test/fixtures/test-crib.ts';
import type { Catalog } from '../contract/catalog.ts';
import { conditionProblem, testPolicy } from './policy-checks.ts';

const RULES = `version: 1
rules:
  - name: no-echo
    effect: deny
    tools: [echo]
    when: input.loud == true
`;

const tools = {
  get: (name: string) => (name === 'echo' ? { tool: aTool() } : undefined),
} as unknown as Pick<Catalog, 'get'>;

const run = (text: string, policy = RULES) =>
  testPolicy(
    { text, file: 'cases.yml' },
    {
      choices: { policyFiles: [{ path: 'policy.yml', text: policy, kind: 'user' }] },
      settings: { files: [], shadow: false, flow: 'ask' },
      tools,
      runtime: fakeRuntime(),
    },
  );

const cases = (tool: string, input: string, wanted: string) =>
  `tests:\n  - name: one\n    call: { tool: ${tool}, input: ${input} }\n    expect: ${wanted}\n`;

describe('testPolicy', () => {
  it('judges the cases by the rules and the registered tools', async () => {
    expect(await run(cases('echo', '{ loud: true }', 'deny'))).toMatchObject({ failed: 0 });
    expect(await run(cases('echo', '{ loud: false }', 'allow'))).toMatchObject({ passed: 1 });
    expect(await run(cases('echo', '{ loud: true }', 'allow'))).toMatchObject({ failed: 1 });
  });

  it('fails a case of an unknown tool, even if it expects a denial', async () => {
    const { results } = await run(cases('nobody', '{}', 'deny'));
    expect(results).toMatchObject([{ passed: false, message: 'There is no tool nobody.' }]);
  });

  it('reports invalid cases and rules with their position', async () => {
    await expect(run('tests: []')).rejects.toThrow(/cases\.yml:1/);
    const bad = RULES.replace('deny', 'denny');
    await expect(run(cases('echo', '{}', 'deny'), bad)).rejects.toThrow(/policy\.yml:4/);
  });
});

describe('conditionProblem', () => {
  it('returns undefined for a valid condition', async () => {
    expect(await conditionProblem('input.path == "a.txt"')).toBeUndefined();
  });

  it.each(['inptu.path == 1', 'input.', '1 + 1', ''])(
    'says what is wrong with %j',
    async (text) => {
      expect(await conditionProblem(text)).toMatch(/^At character \d+: \S/);
    },
  );
});
