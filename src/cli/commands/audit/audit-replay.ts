/** `toolcrib audit replay`: how today's rules would decide recorded calls. Runs nothing. */
import type { Command } from 'commander';
import type { Colors } from 'picocolors/types.js';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { CallReplay, ReplayFilter, ReplayVerdict } from '../../../contract/replay.ts';
import { compact } from '../../../kit/data/compact.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { collect, leaving, withExamples, withJson } from '../../command-actions.ts';
import { findExecution } from '../../input/by-start.ts';
import { misuse, wholeNumber } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import { hint, type Io, print, printJson, warn } from '../../io.ts';
import { counted, formatTime } from '../../output/format-units.ts';
import { type Cell, type Facts, factRows, headRow, table } from '../../output/table.ts';
import { findTool } from '../../session/find-tool.ts';
import { type OpenCrib, type OpenOptions, withCrib } from '../../session/open-crib.ts';

interface ReplayCommandOptions {
  readonly dryRun?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly tool?: string;
  readonly user?: string;
  readonly role?: readonly string[];
  readonly limit: number;
}

const MARKS: Readonly<Record<ReplayVerdict, string>> = { same: '=', different: '≠', unknown: '?' };

const paintOf = (verdict: ReplayVerdict, ink: Colors): Cell['paint'] => {
  if (verdict === 'different') return ink.yellow;
  return verdict === 'same' ? ink.green : ink.dim;
};

const markCell = (verdict: ReplayVerdict, ink: Colors): Cell => {
  const paint = paintOf(verdict, ink);
  return { text: MARKS[verdict], ...(paint && { paint }) };
};

const SUMMARY: Readonly<Record<ReplayVerdict, string>> = {
  same: 'The same would happen now.',
  different: 'It would go differently now.',
  unknown: 'What would happen now cannot be judged from the record.',
};

const showOne = (io: Io, replay: CallReplay): void => {
  const { ink } = io;
  const { executionId, tool, caller, at, lines, notes, verdict } = replay;
  const { userId, agentId, sessionId } = caller;
  const facts: Facts = [
    ['execution', executionId],
    ['tool', tool],
    ['caller', `user ${userId}, agent ${agentId}, session ${sessionId}`],
    ['ended', formatTime(at)],
  ];
  const rows = lines.map((line): readonly (string | Cell)[] => [
    markCell(line.verdict, ink),
    line.aspect,
    line.before,
    { text: line.now, ...(line.verdict === 'different' && { paint: ink.yellow }) },
  ]);
  print(io, ...table(factRows(facts, ink)), '');
  print(io, ...table([headRow(['', '', 'then', 'now'], ink), ...rows]), '');
  print(io, SUMMARY[verdict]);
  for (const remark of notes) hint(io, visibleText(`! ${remark}`));
};

interface OneCall {
  readonly typed: string;
  readonly roles: readonly string[] | undefined;
}

const replayOne = async (
  io: Io,
  { crib, loaded }: OpenCrib,
  { typed, roles }: OneCall,
): Promise<number> => {
  const executionId = await findExecution(crib, typed);
  const [row] = await crib.audit.query({ executionId, limit: 1 });
  if (row) await findTool(io, { crib, lock: loaded.config.registry.lock }, row.tool);
  const replay = await crib.audit.replay(executionId, roles ? { roles } : {});
  if (io.json) printJson(io, replay);
  else showOne(io, replay);
  return 0;
};

/** Calls that changed in the same way, and one of them to look at. */
interface Group {
  readonly tool: string;
  readonly before: string;
  readonly now: string;
  calls: number;
  readonly example: string;
}

const MAX_GROUPS = 500;

interface Summary {
  readonly counts: Record<ReplayVerdict, number>;
  redacted: number;
  readonly groups: Map<string, Group>;
  /** Calls that belong to no group, because there are `MAX_GROUPS` already. */
  ungrouped: number;
}

const changeOf = ({ before, now, lines }: CallReplay): readonly [string, string] => {
  if (before.outcome !== now.outcome || before.decision !== now.decision) {
    const first = lines.find(({ verdict }) => verdict === 'different');
    if (first) return [first.before, now.message ? `${first.now}: ${now.message}` : first.now];
  }
  const changed = lines.filter(
    ({ aspect, verdict }) => verdict === 'different' && aspect !== 'cost',
  );
  return [
    changed.map((line) => line.before).join('; '),
    changed.map((line) => line.now).join('; '),
  ];
};

const add = (summary: Summary, replay: CallReplay): void => {
  summary.counts[replay.verdict] += 1;
  if (replay.redacted.length > 0) summary.redacted += 1;
  if (replay.verdict !== 'different') return;
  const [before, now] = changeOf(replay);
  const key = JSON.stringify([replay.tool, before, now]);
  const group = summary.groups.get(key);
  if (group) group.calls += 1;
  else if (summary.groups.size === MAX_GROUPS) summary.ungrouped += 1;
  else {
    const { tool, executionId: example } = replay;
    summary.groups.set(key, { tool, before, now, calls: 1, example });
  }
};

const showMany = (io: Io, { counts, redacted, groups, ungrouped }: Summary): void => {
  const { ink } = io;
  const rows = [...groups.values()]
    .sort((a, b) => b.calls - a.calls)
    .map((group): readonly (string | Cell)[] => [
      { text: String(group.calls), align: 'right' },
      { text: group.tool, paint: ink.bold },
      group.before,
      { text: group.now, paint: ink.yellow },
      { text: group.example, paint: ink.dim },
    ]);
  const head = headRow(['calls', 'tool', 'then', 'now', 'for example'], ink);
  if (rows.length > 0) print(io, ...table([head, ...rows]), '');
  const judged = counts.same + counts.different;
  print(io, `${counted(judged, 'call')} judged, ${counts.different} would go differently now.`);
  const warnOf = (count: number, what: string): void => {
    if (count > 0) warn(io, `${counted(count, 'call')} ${what}.`);
  };
  warnOf(counts.unknown, 'cannot be judged from the record');
  warnOf(redacted, 'judged with redacted values in the input');
  warnOf(ungrouped, 'changed in further ways');
};

const replayMany = async (io: Io, crib: CribHost, filter: ReplayFilter): Promise<number> => {
  const counts = { same: 0, different: 0, unknown: 0 };
  const summary: Summary = { counts, redacted: 0, groups: new Map(), ungrouped: 0 };
  for await (const replay of crib.audit.replayAll(filter)) add(summary, replay);
  if (io.json) {
    const { redacted, groups, ungrouped } = summary;
    printJson(io, { ...counts, redacted, groups: [...groups.values()], ungrouped });
  } else showMany(io, summary);
  return 0;
};

const filterOf = (io: Io, options: ReplayCommandOptions): ReplayFilter => {
  const { since, until, tool, user, role, limit } = options;
  const now = io.runtime.now();
  return {
    ...(since !== undefined && { from: readMoment('--since', since, now) }),
    ...(until !== undefined && { to: readMoment('--until', until, now) }),
    ...compact({ tool, userId: user, roles: role }),
    limit,
  };
};

const assertChosen = (executionId: string | undefined, options: ReplayCommandOptions): void => {
  if (options.dryRun !== true) {
    throw misuse(
      'A recorded call is only judged again, never made again: say so with --dry-run.',
      'To make the call again: toolcrib run <tool> with its input.',
    );
  }
  const { since, until, tool, user } = options;
  const isMany = [since, until, tool, user].some((choice) => choice !== undefined);
  if ((executionId === undefined) === isMany) return;
  throw misuse(
    isMany
      ? 'Name one call, or choose several with --since, --until, --tool and --user.'
      : 'Which calls are to be judged again?',
    'See which there are: toolcrib audit list',
    'Or choose: --since 7d',
  );
};

const replay = (
  io: Io,
  executionId: string | undefined,
  options: ReplayCommandOptions,
): Promise<number> => {
  assertChosen(executionId, options);
  const { tool, role } = options;
  // Starts servers only for a named tool: other calls are judged by the cached definitions.
  const openOptions: OpenOptions = tool === undefined ? { startServers: false } : { tool };
  return withCrib(
    io,
    (open) =>
      executionId === undefined
        ? replayMany(io, open.crib, filterOf(io, options))
        : replayOne(io, open, { typed: executionId, roles: role }),
    openOptions,
  );
};

export const auditReplayCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('replay [executionId]'))
      .option('--dry-run', 'judge only, which is all that it does: nothing is run or counted')
      .option('--since <when>', 'many calls, from then on: a date, or 90m, 2h, 7d ago')
      .option('--until <when>', 'many calls, before then')
      .option('--tool <name>', 'many calls, of this tool')
      .option('--user <id>', 'many calls, of this user')
      .option('--role <role>', 'judge the callers in this role: roles are not on record', collect)
      .option('--limit <count>', 'judge at most this many calls', wholeNumber('--limit', 1), 1000)
      .action(
        leaving(io, (executionId: string | undefined, options: ReplayCommandOptions) =>
          replay(io, executionId, options),
        ),
      ),
    'toolcrib audit replay <executionId> --dry-run',
    'toolcrib audit replay --since 7d --tool write_file --dry-run',
  );
