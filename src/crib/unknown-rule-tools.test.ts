/** Rules for tools that are not there: they are told of with the name that may be meant. */
import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import { createCribHost } from './create-crib.ts';
import { ruleWarnings } from './policy-checks.ts';

const file = (...tools: readonly string[]) => ({
  path: 'policy.yml',
  kind: 'user' as const,
  text: `version: 1\nrules:\n  - { name: mine, effect: deny, tools: ${JSON.stringify(tools)} }\n`,
});
const told = async (mayGrow: boolean, ...names: readonly string[]) => {
  const { tools } = await testCrib([aTool({ name: 'write_file', aliases: ['save'] })]);
  return ruleWarnings({ policyFiles: [file(...names)] }, { tools, mayGrow });
};

describe('a rule that names tools', () => {
  it('is not reported when every tool exists', async () => {
    expect(await told(false, 'write_file', 'write_*', '*')).toEqual([]);
  });

  it('is reported with the nearest name when a tool does not exist', async () => {
    expect(await told(false, 'wirte_file')).toEqual([
      'policy.yml: rule mine: there is no tool named wirte_file; did you mean write_file?',
    ]);
    expect(await told(false, 'remote')).toEqual([
      'policy.yml: rule mine: there is no tool named remote',
    ]);
    expect(await told(false, 'git*')).toEqual(['policy.yml: rule mine: no tool fits git*']);
  });

  it('says that a server may bring the tool where one is not connected', async () => {
    const [first, second] = await told(true, 'remote', 'git*');
    expect([first, second]).toEqual([
      expect.stringContaining('not connected'),
      expect.stringContaining('not connected'),
    ]);
  });

  it('is not reported when it names a tool of the crib itself, and a misspelt name of one is', async () => {
    expect(await told(false, 'toolcrib:server', 'toolcrib:undo', 'toolcrib:*')).toEqual([]);
    expect(await told(false, 'toolcrib:sever')).toEqual([
      'policy.yml: rule mine: there is no tool named toolcrib:sever; did you mean toolcrib:server?',
    ]);
  });

  it('is reported when it uses an alias, because rules match the tool name only', async () => {
    expect(await told(true, 'save')).toEqual([
      'policy.yml: rule mine: save is another name of write_file; rules go by write_file',
    ]);
  });
});

it('a crib warns at its start of a rule whose tool name is close to that of a tool', async () => {
  const warnings: string[] = [];
  const log = { ...fakeRuntime().log, warn: (message: string) => void warnings.push(message) };
  const crib = await createCribHost({
    store: 'memory',
    builtins: false,
    tools: [aTool()],
    runtime: { log },
    policy: { version: 1, rules: [{ name: 'no', effect: 'deny', tools: ['echoo', 'later_on'] }] },
  });
  expect(warnings).toEqual([
    'the program: rule no: there is no tool named echoo; did you mean echo?',
  ]);
  await crib.close();
});
