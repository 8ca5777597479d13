/** `toolcrib policy replay`: which recorded calls other rules would decide differently. */
import type { Command } from 'commander';
import type { PolicyFile } from '../../../config/load/policy-files.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { compact } from '../../../kit/data/compact.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { callerFrom } from '../../input/caller-options.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import { hint, type Io, print, printJson, warn } from '../../io.ts';
import { counted, formatTime } from '../../output/format-units.ts';
import { type Cell, headRow, ruleEffectCell, table } from '../../output/table.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { policyFilesFor } from './policy-files.ts';
import { type JudgeAt, NOT_JUDGED, type ReplayReport, replayPolicy } from './replay-policy.ts';

interface ReplayOptions {
  readonly policy?: string;
  readonly since?: string;
  readonly limit: number;
  readonly role?: readonly string[];
}

interface Judge {
  readonly judge: JudgeAt;
  close(): Promise<void>;
}

/** Opens a crib whose clock shows when the call was made: rules may depend on the time. */
const openJudge = async (
  io: Io,
  { loaded }: OpenCrib,
  policyFiles: readonly PolicyFile[],
): Promise<Judge> => {
  const [{ createCribHost }, { projectOptions }] = await Promise.all([
    import('../../../crib/create-crib.ts'),
    import('../../../crib/project/project-options.ts'),
  ]);
  let now: number | undefined;
  const runtime = { now: () => now ?? io.runtime.now() };
  const crib: CribHost = await createCribHost({
    ...projectOptions(loaded, io),
    policyFiles,
    runtime,
    watch: false,
    // An empty store: grants and what a session has seen are not part of the rules.
    store: 'memory',
    startServers: false,
  });
  await crib.store();
  return {
    judge: async (row, input, caller) => {
      now = row.at;
      return (await crib.explain(row.tool, input, caller)).verdict;
    },
    close: () => crib.close(),
  };
};

/** Returns the version of the rules in force, which is recorded with each call. */
const versionOf = async (io: Io, { config, policyFiles }: OpenCrib['loaded']): Promise<string> => {
  const { openPolicy } = await import('../../../crib/open-policy.ts');
  return (await openPolicy({ policyFiles }, config.policy, { log: io.runtime.log })).version;
};

const HEAD = ['time', 'execution', 'tool', 'user', 'was', 'would be', 'by rule', 'because'];

const printChanges = (io: Io, { changes }: ReplayReport): void => {
  const { ink } = io;
  const rows = changes.map((change): readonly (string | Cell)[] => [
    { text: formatTime(change.at), paint: ink.dim },
    change.executionId,
    { text: change.tool, paint: ink.bold },
    change.userId,
    ruleEffectCell(change.before.effect, ink),
    ruleEffectCell(change.after.effect, ink),
    `${change.after.rule}${change.redacted ? ' (redacted input)' : ''}`,
    change.after.reason,
  ]);
  print(io, ...table([headRow(HEAD, ink), ...rows]));
};

const report = (io: Io, replayed: ReplayReport): void => {
  const { judged, redacted, changes, notJudged } = replayed;
  if (changes.length > 0) printChanges(io, replayed);
  print(io, `${counted(judged, 'call')} judged, ${changes.length} would be decided differently.`);
  if (redacted > 0) {
    warn(io, `${counted(redacted, 'call')} of these were judged by a partly redacted input.`);
  }
  for (const [why, words] of Object.entries(NOT_JUDGED) as [keyof typeof NOT_JUDGED, string][]) {
    if (notJudged[why] > 0) warn(io, `${counted(notJudged[why], 'call')} not judged: ${words}.`);
  }
  hint(
    io,
    'The record has redacted inputs, and neither roles (give --role) nor what a session had seen.',
  );
};

const replay = (io: Io, options: ReplayOptions): Promise<number> => {
  const { since, limit, role } = options;
  const from = since === undefined ? undefined : readMoment('--since', since, io.runtime.now());
  return withCrib(io, async (open) => {
    const { policyFiles } = open.loaded;
    const present = await openJudge(io, open, policyFiles);
    const judges = [present];
    try {
      if (options.policy !== undefined) {
        const files = await policyFilesFor(io, open.loaded, options.policy);
        judges.push(await openJudge(io, open, files));
      }
      const { roles, permissions } = callerFrom(role === undefined ? {} : { role });
      const replayed = await replayPolicy(await open.crib.store(), {
        from,
        limit,
        roles: compact({ roles, permissions }),
        version: await versionOf(io, open.loaded),
        ...(judges.length > 1 && { before: present.judge }),
        after: (judges.at(-1) ?? present).judge,
      });
      if (io.json) printJson(io, replayed);
      else report(io, replayed);
      return 0;
    } finally {
      for (const judge of judges) await judge.close();
    }
  });
};

export const policyReplayCommand = (policy: Command, io: Io): Command =>
  withExamples(
    withJson(policy.command('replay'))
      .option(
        '--policy <file>',
        'judge by these rules instead of the user’s, and compare with those in force',
      )
      .option('--since <when>', 'calls from then on: a date, or 90m, 2h, 7d ago')
      .option('--limit <count>', 'judge at most this many calls', wholeNumber('--limit', 1), 1000)
      .option('--role <role>', 'judge as callers in this role: roles are not on record', collect)
      .action(leaving(io, (options: ReplayOptions) => replay(io, options))),
    'toolcrib policy replay --since 7d',
    'toolcrib policy replay --policy new.yml --limit 500',
  );
