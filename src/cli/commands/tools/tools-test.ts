/** `toolcrib tools test`: runs the examples of one file of custom tools, and prints what differs. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { createTerminalApprover } from '../../../approvers/terminal/create-terminal-approver.ts';
import type { Approver } from '../../../contract/approver.ts';
import { ERRORS } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, print, printJson, warn } from '../../io.ts';
import { type ProgressLine, startProgress } from '../../output/progress-line.ts';
import { onInterrupt } from '../../session/on-interrupt.ts';
import { type OpenCrib, openCrib } from '../../session/open-crib.ts';
import {
  assertFileTrusted,
  assertProjectTrusted,
  customFolder,
  fileOfTool,
  notLoaded,
  pathBelow,
} from './custom-folder.ts';
import { type NamedExample, type Outcome, type TrialOptions, tryExamples } from './try-examples.ts';

interface TestOptions {
  readonly yes?: boolean;
}

const approverOf = (
  io: Io,
  { yes = false }: TestOptions,
  line: () => ProgressLine | undefined,
): Approver =>
  yes
    ? { ask: () => Promise.resolve({ answer: 'approve', by: 'local (--yes)' }) }
    : createTerminalApprover({
        input: io.stdin,
        output: io.stderr,
        runtime: io.runtime,
        by: 'local (terminal)',
        colour: io.noteInk.isColorSupported,
        onQuestion: (open) => line()?.pause(open),
      });

/** A file of tools, and the one tool that was named in it. */
interface NamedFile {
  readonly file: string;
  readonly tool?: string;
}

const FILE_TAG = 'file:';

/** Finds the file that was typed: a path, a file of the folder, or the name of a tool. */
const fileNamed = async (io: Io, open: OpenCrib, typed: string): Promise<NamedFile> => {
  const folder = customFolder(open);
  const path = resolve(io.cwd, typed);
  if (typed.includes('/') || existsSync(path)) return { file: path };
  const inFolder = join(folder, typed);
  if (pathBelow(folder, inFolder) !== undefined && existsSync(inFolder)) return { file: inFolder };
  const tags = open.crib.tools.get(typed)?.tool.tags ?? [];
  const tag = tags.find((each) => each.startsWith(FILE_TAG));
  if (tag !== undefined) return { file: join(folder, tag.slice(FILE_TAG.length)), tool: typed };
  return { file: (await fileOfTool(open, typed)) ?? path };
};

/** Finds the tools of a file: the source tags each tool with its file. */
const toolsOf = (open: OpenCrib, { file, tool: name }: NamedFile): readonly Tool[] => {
  const below = pathBelow(customFolder(open), file);
  if (below === undefined) {
    throw misuse(
      'The file is not in the folder of custom tools, and no custom tool has this name.',
      `Custom tools of this project are in ${customFolder(open)}.`,
    );
  }
  assertFileTrusted(open, file);
  const tags = [`${FILE_TAG}${below}`];
  const entries = open.crib.tools.list({ source: ['custom', 'composed'], tags });
  const tools = entries.map(({ tool }) => tool);
  if (tools.length === 0) throw notLoaded('NOT_FOUND', file);
  return name === undefined ? tools : tools.filter((tool) => tool.name === name);
};

const MAX_VALUE_CHARS = 300;

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return visibleText(text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text);
};

const linesOf = (io: Io, { tool, title, passed, durationMs, ...rest }: Outcome): string[] => {
  const { differences, error } = rest;
  const mark = passed ? io.ink.green('✓') : io.ink.red('✗');
  const time = io.ink.dim(`(${Math.round(durationMs)} ms)`);
  return [
    `${mark} ${visibleText(`${tool}: ${title}`)} ${time}`,
    ...(error ? [`    ${error.code}: ${visibleText(error.message)}`] : []),
    ...(error?.suggestions ?? []).map((suggestion) => `    ${visibleText(suggestion)}`),
    ...differences.flatMap(({ path, expected, actual }) => [
      `    at ${visibleText(path === '' ? 'the whole' : path)}`,
      `      ${io.ink.green(`expected ${shown(expected)}`)}`,
      `      ${io.ink.red(`got      ${shown(actual)}`)}`,
    ]),
  ];
};

const examplesOf = (io: Io, tools: readonly Tool[]): readonly NamedExample[] =>
  tools.flatMap((tool) => {
    const { examples = [] } = tool;
    if (examples.length === 0) warn(io, `${tool.name} has no examples.`);
    return examples.map((example) => ({ tool, example }));
  });

interface TestRun extends Partial<TrialOptions> {
  readonly file: string;
}

/** Tests one file and returns the exit code. Exported for its test. */
export const testFile = async (
  io: Io,
  open: OpenCrib,
  { file, signal = new AbortController().signal, show }: TestRun,
): Promise<number> => {
  assertProjectTrusted(open);
  const named = examplesOf(io, toolsOf(open, await fileNamed(io, open, file)));
  const outcomes: Outcome[] = [];
  for await (const outcome of tryExamples(open.crib, named, { signal, ...(show && { show }) })) {
    outcomes.push(outcome);
    if (!io.json) print(io, ...linesOf(io, outcome));
  }
  const failed = outcomes.filter(({ passed }) => !passed).length;
  const passed = outcomes.length - failed;
  const left = named.length - outcomes.length;
  if (io.json) printJson(io, { file, passed, failed, left, examples: outcomes });
  else print(io, `${passed} passed, ${failed} failed${left > 0 ? `, ${left} not tried` : ''}`);
  if (signal.aborted) return ERRORS.CANCELLED.exit;
  // A file without any example fails: nothing was tested.
  return failed > 0 || passed === 0 ? 1 : 0;
};

const testInterruptibly = async (io: Io, file: string, options: TestOptions): Promise<number> => {
  const cancelled = new AbortController();
  const release = onInterrupt(io, () => cancelled.abort());
  let line: ProgressLine | undefined;
  const shown = io.stderr.isTTY === true && io.env.TERM !== 'dumb' && !io.json;
  const show = (label: string): ProgressLine => {
    line = startProgress({ output: io.stderr, runtime: io.runtime, label: visibleText(label) });
    return line;
  };
  try {
    const approver = approverOf(io, options, () => line);
    const open = await openCrib(io, approver);
    try {
      return await testFile(io, open, { file, signal: cancelled.signal, ...(shown && { show }) });
    } finally {
      await open.crib.close();
    }
  } finally {
    release();
  }
};

export const toolsTestCommand = (tools: Command, io: Io): Command => {
  const command = withJson(
    tools
      .command('test')
      .argument('<file>', 'a file in the folder of custom tools, by its path or name, or a tool')
      .option(
        '-y, --yes',
        'approve the calls yourself, without being asked: you are responsible for them',
      ),
  ).action(
    leaving(io, (file: string, options: TestOptions) => testInterruptibly(io, file, options)),
  );
  return withExamples(
    command,
    'toolcrib tools test .toolcrib/tools/count_words.yml',
    'toolcrib tools test count_words',
  );
};
