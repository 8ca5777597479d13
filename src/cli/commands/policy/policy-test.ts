/** `toolcrib policy test`: tests the rules with the cases of a file, for people and for CI. */
import type { Command } from 'commander';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, warn } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { withCrib } from '../../session/open-crib.ts';
import { policyFilesFor, readPolicyFile, ruleToolWarnings } from './policy-files.ts';

interface TestOptions {
  readonly policy?: string;
}

const FORMAT = `
A file of cases:
  tests:
    - name: nobody deletes
      call: { tool: file_operations, input: { operation: delete, path: a.txt } }
      expect: deny            allow, ask or deny
      rule: no-deletes        optional: the rule that has to decide
Of a call you may also give: caller (user, agent, session, roles, permissions, isolation),
tier, action, flow (untrusted, sensitivity), at (2026-01-31T12:00:00Z).`;

const test = async (io: Io, path: string, { policy }: TestOptions): Promise<number> => {
  const cases = await readPolicyFile(io, path);
  return withCrib(io, async ({ crib, loaded }) => {
    const { testPolicy } = await import('../../../crib/policy-checks.ts');
    const policyFiles = await policyFilesFor(io, loaded, policy);
    const report = await testPolicy(
      { text: cases.text, file: cases.path },
      {
        choices: { policyFiles },
        settings: loaded.config.policy,
        tools: crib.tools,
        runtime: io.runtime,
      },
    );
    const { ink } = io;
    const warnings = await ruleToolWarnings(policyFiles, crib);
    for (const each of warnings) warn(io, visibleText(each));
    if (io.json) printJson(io, { ...report, warnings });
    else {
      for (const { name, passed, message } of report.results) {
        const mark = passed ? ink.green('✓') : ink.red('✗');
        print(io, `${mark} ${visibleText(name)}${ink.dim(` · ${visibleText(message)}`)}`);
      }
      const { passed, failed } = report;
      note(io, `${counted(passed + failed, 'case')}, ${passed} passed, ${failed} failed`);
    }
    return report.failed === 0 ? 0 : 1;
  });
};

export const policyTestCommand = (policy: Command, io: Io): Command =>
  withExamples(
    withJson(policy.command('test'))
      .argument('<file>', 'YAML with a list of tests')
      .option('--policy <file>', 'test these rules instead of the user’s')
      .addHelpText('after', FORMAT)
      .action(leaving(io, (file: string, options: TestOptions) => test(io, file, options))),
    'toolcrib policy test policy.test.yml',
    'toolcrib policy test policy.test.yml --policy new.yml',
  );
