/** `toolcrib doctor`: what works on this machine, what does not, and how to fix it. */
import type { Command } from 'commander';
import type { Catalog } from '../../../contract/catalog.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { whileShown } from '../../output/progress-line.ts';
import { withCrib } from '../../session/open-crib.ts';
import {
  type Check,
  checkModel,
  checkNode,
  checkRipgrep,
  checkSandboxes,
  checkSqlite,
} from './machine-checks.ts';
import {
  checkCheckpoints,
  checkConfig,
  checkPolicy,
  checkSealKey,
  checkStore,
  checkTrust,
  checkWorkspace,
} from './project-checks.ts';

/** A server that answered before has this long to answer again. */
const MAX_ANSWER_MS = 30_000;

const NAME = 'servers';

const broken = (name: string, reason: string): Check => ({
  name: NAME,
  state: 'broken',
  message: `${name}: ${reason}`,
  fix: `See why: toolcrib servers test ${name}`,
});

/** Asks one server. One that was never listed has been waited for already, when the tools were loaded. */
const checkServer = async (
  io: Io,
  { servers }: CribHost,
  { name, state, tools, lastError }: ServerStatus,
): Promise<Check> => {
  const ok: Check = { name: NAME, state: 'ok', message: `${name}: ${counted(tools, 'tool')}` };
  if (state === 'needs_login') {
    const fix = `Log in: toolcrib servers login ${name}`;
    return { name: NAME, state: 'warning', message: `${name} needs a login`, fix };
  }
  if (state === 'ready') return ok;
  if (lastError !== undefined) return broken(name, lastError);
  const late = new Promise<Check>((resolve) => {
    const seconds = MAX_ANSWER_MS / 1000;
    const timer = io.runtime.after(MAX_ANSWER_MS, () =>
      resolve(broken(name, `no answer in ${seconds} s`)),
    );
    timer.keepAlive(false);
  });
  const answer = servers.test(name).then(
    ({ tools: listed }): Check => ({ ...ok, message: `${name}: ${counted(listed, 'tool')}` }),
    (error: unknown) => broken(name, reasonOf(error)),
  );
  return Promise.race([answer, late]);
};

/** Asks every server that is switched on. */
const checkServers = (io: Io, crib: CribHost): Promise<readonly Check[]> => {
  const enabled = crib.servers.list().filter(({ state }) => state !== 'disabled');
  return whileShown(io, 'Asking the MCP servers', () =>
    Promise.all(enabled.map((status) => checkServer(io, crib, status))),
  );
};

/** Lists tools that were renamed because their name was taken, and tools that were refused. */
const checkLoads = ({ loads }: Pick<Catalog, 'loads'>): readonly Check[] =>
  loads.flatMap(({ source, renamed, refused }) => [
    ...renamed.map(
      ({ from, to }): Check => ({
        name: 'tools',
        state: 'warning',
        message: `${source}: ${from} is called ${to} here, its name was taken`,
      }),
    ),
    ...refused.map(
      ({ tool, reason }): Check => ({
        name: 'tools',
        state: 'warning',
        message: `${source}: ${tool} was refused: ${reason}`,
      }),
    ),
  ]);

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
      ...(await checkSealKey(crib, loaded)),
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
    print(io, '', broken === 0 ? 'Ready.' : `${broken} to fix before it works.`);
  }
  return broken === 0 ? 0 : 1;
};

export const doctorCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('doctor')).action(leaving(io, () => examine(io))),
    'toolcrib doctor',
    'toolcrib doctor --json',
  );
