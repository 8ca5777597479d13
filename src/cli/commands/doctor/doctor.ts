/** `toolcrib doctor`: what works on this machine, what does not, and how to fix it. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { HealthCheck } from '../../../contract/health.ts';
import { compact } from '../../../kit/data/compact.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, print, printJson } from '../../io.ts';
import { whileShown } from '../../output/progress-line.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { checkMark } from '../health/health-lines.ts';
import { healthLines, loadLines } from './crib-checks.ts';
import { applyRepairs, type FixOptions, type Repaired } from './fix.ts';
import { checkBrowser, checkNode, checkRipgrep, checkSqlite } from './machine-checks.ts';
import { findRepairs, type Repair } from './own-files.ts';
import {
  checkCheckpoints,
  checkConfig,
  checkPolicy,
  checkSealKey,
  checkTrail,
  checkTrust,
  checkWorkspace,
} from './project-checks.ts';
import { workspaceRepair } from './workspace-repair.ts';

/** How long a server, a source or a tool has to answer: a server may have to be started. */
const MAX_ANSWER_MS = 30_000;

interface Findings {
  readonly checks: readonly HealthCheck[];
  /** What `/readyz` of a server would answer; absent without a valid configuration. */
  readonly ready?: boolean;
}

const examineCrib = async (
  io: Io,
  { crib, root, loaded }: OpenCrib,
): Promise<Required<Findings>> => {
  const status = await whileShown(io, 'Asking servers, sources and tools', () =>
    // `untried`: a server that failed a moment ago, when the tools were loaded, would fail again.
    crib.health.check({ timeoutMs: MAX_ANSWER_MS, startServers: 'untried' }),
  );
  return {
    ready: status.ready,
    checks: [
      ...checkTrust(loaded),
      await checkWorkspace(loaded, root),
      ...(await checkPolicy(loaded, crib)),
      ...healthLines(status),
      ...loadLines(crib.tools),
      ...(await checkTrail(crib)),
      ...(await checkSealKey(crib, loaded)),
      ...(await checkCheckpoints(crib, loaded, io.runtime.now())),
    ],
  };
};

/** Opens the crib and examines it; one that does not open is reported as a finding. */
const openAndExamine = async (io: Io): Promise<Findings> => {
  try {
    return await withCrib(io, (open) => examineCrib(io, open), { silent: true });
  } catch (error) {
    const fix = error instanceof ToolFailure ? error.extras.suggestions?.[0] : undefined;
    const check: HealthCheck = { name: 'crib', state: 'broken', message: reasonOf(error) };
    return { ready: false, checks: [fix === undefined ? check : { ...check, fix }] };
  }
};

/** Lists possible repairs. The user's folder is taken from the environment only, never from a project. */
const repairsFor = async (io: Io, loaded: LoadedConfig | undefined): Promise<readonly Repair[]> => {
  const [{ userDirOf }, { projectOptions }] = await Promise.all([
    import('../../../trust/project-trust.ts'),
    import('../../../crib/project/project-options.ts'),
  ]);
  const own = await findRepairs(userDirOf({ cwd: io.cwd, env: io.env }), io.runtime.now());
  return loaded
    ? [...own, ...(await workspaceRepair(loaded, projectOptions(loaded, io).root))]
    : own;
};

const faultOf = ({ fault }: Repair): HealthCheck => ({
  name: 'files',
  state: 'warning',
  message: fault,
  fix: 'Repair it: toolcrib doctor --fix',
});

/** Asks the collector where the environment names one. */
const collectorChecks = async (io: Io): Promise<readonly HealthCheck[]> => {
  const { checkTelemetry } = await import('../../../server/check-telemetry.ts');
  return checkTelemetry(io.env);
};

const examineAll = async (io: Io): Promise<Findings> => {
  const { node } = process.versions;
  const { checks: config, loaded } = await checkConfig(io);
  const machine = [
    checkNode(node),
    await checkSqlite(node),
    await checkRipgrep(io),
    await checkBrowser(),
    ...(await collectorChecks(io)),
  ];
  const files = (await repairsFor(io, loaded)).map(faultOf);
  const checks = [...machine, ...config, ...files];
  // Without a valid configuration there is no crib, and nothing more to look at.
  if (!loaded) return { checks };
  const findings = await openAndExamine(io);
  return { ...findings, checks: [...checks, ...findings.checks] };
};

const checkLines = (io: Io, { name, state, message, fix }: HealthCheck): readonly string[] => [
  `${checkMark(io, state)} ${name.padEnd(10)} ${visibleText(message)}`,
  ...(fix === undefined ? [] : [`  ${' '.repeat(10)} ${io.ink.cyan('→')} ${visibleText(fix)}`]),
];

const report = async (io: Io, repaired?: readonly Repaired[]): Promise<number> => {
  const { checks, ready } = await examineAll(io);
  const broken = checks.filter(({ state }) => state === 'broken').length;
  if (io.json) {
    const more = compact({ ready, repaired });
    printJson(io, { ok: broken === 0, ...more, checks });
  } else {
    for (const check of checks) print(io, ...checkLines(io, check));
    print(io, '', broken === 0 ? 'Ready.' : `${broken} to fix before it works.`);
  }
  return broken === 0 && (repaired ?? []).every(({ done }) => done) ? 0 : 1;
};

const examine = async (io: Io, options: FixOptions): Promise<number> => {
  if (!options.fix) {
    if (options.yes)
      throw misuse('--yes answers the question of --fix.', 'toolcrib doctor --fix --yes');
    return report(io);
  }
  const { loaded } = await checkConfig(io);
  return report(io, await applyRepairs(io, await repairsFor(io, loaded), options));
};

export const doctorCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('doctor'))
      .option('--fix', 'repair what can be repaired safely: shows it and asks first')
      .option('--yes', 'with --fix: do not ask')
      .action(leaving(io, (options: FixOptions) => examine(io, options))),
    'toolcrib doctor',
    'toolcrib doctor --fix',
    'toolcrib doctor --json',
  );
