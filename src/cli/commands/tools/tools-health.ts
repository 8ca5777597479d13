/** `toolcrib tools health`: checks every tool, or the named ones, and lists what would make it fail. */
import type { Command } from 'commander';
import type { Crib } from '../../../contract/crib.ts';
import type { HealthCheckResult, ToolRecord } from '../../../contract/health.ts';
import type { Tool } from '../../../contract/tool.ts';
import { inParallel } from '../../../kit/data/bounded-work.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { type Io, note, print, printJson, widthOf } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { agoCell, type Cell, table } from '../../output/table.ts';
import { badgeOf } from '../../output/tool-summary.ts';
import { toolOf } from '../../session/find-tool.ts';
import { type OpenCrib, withCrib } from '../../session/open-crib.ts';
import { checkMark } from '../health/health-lines.ts';

/** A tool with what its check found. */
interface CheckedTool extends Omit<HealthCheckResult, 'name' | 'kind' | 'subject'> {
  readonly tool: string;
  readonly source: Tool['source'];
}

interface HealthOptions {
  readonly timeout: number;
}

/** Limited, because a check may start a program or use the network. */
const MAX_AT_ONCE = 8;
const TIMEOUT_MS = 15_000;

const MARKS = { well: '✓', limited: '!', unwell: '✗' } as const;

const paintOf = ({ ink }: Io, state: CheckedTool['state']): NonNullable<Cell['paint']> =>
  ({ well: ink.green, limited: ink.yellow, unwell: ink.red })[state];

const usedCell = (io: Io, record: ToolRecord | undefined): string => {
  if (!record) return 'not known';
  const { lastUsedAt } = record;
  if (lastUsedAt === undefined) return 'never used';
  return `used ${agoCell(lastUsedAt, io).text}`;
};

const rateCell = (record: ToolRecord | undefined): string =>
  record?.errorRate === undefined
    ? ''
    : `${Math.round(record.errorRate * 100)} % of ${counted(record.ran, 'call')} failed`;

const rowOf = (io: Io, { tool, source, state, checks, record }: CheckedTool): readonly Cell[] => {
  const wrong = checks.filter((check) => check.state !== 'ok').map(({ name }) => name);
  const paint = paintOf(io, state);
  return [
    { text: MARKS[state], paint },
    { text: tool, paint: io.ink.bold, whole: true },
    { text: badgeOf(source), paint: io.ink.cyan },
    { text: state, paint },
    { text: usedCell(io, record), paint: io.ink.dim },
    { text: rateCell(record), paint: io.ink.dim },
    { text: [...new Set(wrong)].join(', ') },
  ];
};

/** Describes the problems in full: the rows of the table are cut to the screen. */
const troubleLines = (io: Io, { tool, checks }: CheckedTool): readonly string[] => {
  const wrong = checks.filter(({ state }) => state !== 'ok');
  if (wrong.length === 0) return [];
  return [
    '',
    `${io.ink.bold(visibleText(tool))}:`,
    ...wrong.flatMap(({ state, message, fix }) => [
      `  ${checkMark(io, state)} ${visibleText(message)}`,
      ...(fix === undefined ? [] : [`    ${io.ink.cyan('→')} ${visibleText(fix)}`]),
    ]),
  ];
};

const show = (io: Io, results: readonly CheckedTool[]): void => {
  const rows = results.map((health) => rowOf(io, health));
  print(io, ...table(rows, widthOf(io)), ...results.flatMap((health) => troubleLines(io, health)));
  const unwell = results.filter(({ state }) => state === 'unwell').length;
  const all = counted(results.length, 'tool');
  const they = results.length === 1 ? 'it' : 'they';
  note(io, unwell === 0 ? `Checked ${all}: ${they} would work.` : `${unwell} of ${all} unwell.`);
};

const checkedTool = (crib: Crib, result: HealthCheckResult): CheckedTool => {
  const { subject: _subject, kind: _kind, name: tool, ...health } = result;
  return { tool, source: toolOf(crib, tool).tool.source, ...health };
};

/** Checks the named tools, switched on or not; without names, those that are on. */
const checkTools = async (
  crib: Crib,
  names: readonly string[],
  timeoutMs: number,
): Promise<readonly CheckedTool[]> => {
  if (names.length === 0) {
    const { checks } = await crib.health.check({ kinds: ['tool'], timeoutMs });
    return checks.map((result) => checkedTool(crib, result));
  }
  const own = new Set(names.map((name) => toolOf(crib, name).tool.name));
  return inParallel([...own], MAX_AT_ONCE, async (name) =>
    checkedTool(crib, await crib.health.check(`tool:${name}`, { timeoutMs })),
  );
};

const examine = async (
  io: Io,
  open: OpenCrib,
  { names, timeout }: { readonly names: readonly string[]; readonly timeout: number },
): Promise<number> => {
  const results = await checkTools(open.crib, names, timeout);
  const isWell = results.every(({ state }) => state !== 'unwell');
  if (io.json) printJson(io, { ok: isWell, tools: results });
  else show(io, results);
  return isWell ? 0 : 1;
};

export const toolsHealthCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(
      tools
        .command('health [name...]')
        .description(
          'check whether the tools would work: their own check, credentials, programs, sandbox, MCP server, circuit and record. Servers are started. Exit code 1 when one is unwell.',
        ),
    )
      .option(
        '--timeout <ms>',
        'how long each check may take',
        wholeNumber('--timeout', 1),
        TIMEOUT_MS,
      )
      .action(
        leaving(io, (names: readonly string[], { timeout }: HealthOptions) =>
          withCrib(io, (open) => examine(io, open, { names, timeout })),
        ),
      ),
    'toolcrib tools health',
    'toolcrib tools health git web_search --json',
  );
