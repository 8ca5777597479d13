/** `toolcrib doctor`: what works on this machine, what does not, and how to mend it. */
import type { Command } from 'commander';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { withCrib } from '../../session/open-crib.ts';
import { checkLoads, checkServers } from './check-servers.ts';
import {
  type Check,
  checkCheckpoints,
  checkConfig,
  checkModel,
  checkNode,
  checkPolicy,
  checkRipgrep,
  checkSandboxes,
  checkSqlite,
  checkStore,
  checkTrust,
  checkWorkspace,
} from './doctor-checks.ts';

const MARKS = { ok: '✓', warning: '!', broken: '✗' } as const;

const allChecks = async (io: Io): Promise<readonly Check[]> => {
  const { node } = process.versions;
  const { checks, loaded } = await checkConfig(io);
  const machine = [checkNode(node), await checkSqlite(node), await checkRipgrep(io)];
  // Without a valid configuration there is no crib, and nothing more to look at.
  if (!loaded) return [...machine, ...checks];
  return withCrib(
    io,
    async ({ crib, root }) => [
      ...machine,
      ...checks,
      ...checkTrust(loaded),
      await checkWorkspace(loaded, root),
      ...(await checkPolicy(loaded, crib)),
      await checkStore(crib),
      ...(await checkCheckpoints(crib, loaded, io.runtime.now())),
      ...(await checkSandboxes(crib)),
      ...(await checkServers(io, crib)),
      ...checkLoads(crib.tools),
      checkModel(loaded),
    ],
    { silent: true },
  );
};

const checkLines = (io: Io, { name, state, message, fix }: Check): readonly string[] => {
  const paint = { ok: io.ink.green, warning: io.ink.yellow, broken: io.ink.red }[state];
  return [
    `${paint(MARKS[state])} ${name.padEnd(10)} ${visibleText(message)}`,
    ...(fix === undefined ? [] : [`  ${' '.repeat(10)} ${io.ink.cyan('→')} ${visibleText(fix)}`]),
  ];
};

const examine = async (io: Io): Promise<number> => {
  const checks = await allChecks(io);
  const broken = checks.filter(({ state }) => state === 'broken').length;
  if (io.json) printJson(io, { ok: broken === 0, checks });
  else {
    for (const check of checks) print(io, ...checkLines(io, check));
    print(io, '', broken === 0 ? 'Ready.' : `${broken} to mend before it works.`);
  }
  return broken === 0 ? 0 : 1;
};

export const doctorCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(
      program
        .command('doctor')
        .description('check this machine and project, and say how to fix what is wrong'),
    ).action(leaving(io, () => examine(io))),
    'toolcrib doctor',
    'toolcrib doctor --json',
  );
