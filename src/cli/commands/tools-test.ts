/** `toolcrib tools test`: runs the examples of one file of custom tools, and says what differs. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createTerminalApprover } from '../../approvers/terminal/create-terminal-approver.ts';
import { visibleText } from '../../approvers/terminal/visible-text.ts';
import type { Approver } from '../../contract/approver.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Tool, ToolExample } from '../../contract/tool.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { assertProjectTrusted, customFolder, pathBelow } from '../custom-folder.ts';
import { type Difference, exampleDifferences } from '../example-differences.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { type OpenCrib, openCrib } from '../open-crib.ts';

interface TestOptions {
  readonly yes?: boolean;
}

interface Outcome {
  readonly tool: string;
  readonly title: string;
  readonly passed: boolean;
  readonly status: ToolResult['status'];
  readonly durationMs: number;
  readonly differences: readonly Difference[];
  readonly error?: ToolResult['error'];
}

const approverOf = (io: Io, { yes = false }: TestOptions): Approver =>
  yes
    ? { ask: () => Promise.resolve({ answer: 'approve', by: 'local (--yes)' }) }
    : createTerminalApprover({
        input: io.stdin,
        output: io.stderr,
        runtime: io.runtime,
        by: 'local (terminal)',
        colour: io.noteInk.isColorSupported,
      });

/** The source marks each tool with the file it comes from. */
const toolsOf = (open: OpenCrib, file: string): readonly Tool[] => {
  const below = pathBelow(customFolder(open), file);
  if (below === undefined) {
    throw new ToolFailure('VALIDATION_ERROR', 'The file is not in the folder of custom tools.', {
      suggestions: [`Custom tools of this project are in ${customFolder(open)}.`],
    });
  }
  const found = open.crib.tools.list({ source: ['custom'], tags: [`file:${below}`] });
  if (found.length > 0) return found.map(({ tool }) => tool);
  throw new ToolFailure('NOT_FOUND', 'No tool was loaded from this file.', {
    suggestions: [
      'What is wrong with a file is said, with line and column, when the tools are loaded: see above.',
      'See that the file is there, and that tools.autoLoadCustomTools is on.',
    ],
  });
};

const tryExample = async (
  crib: Pick<Crib, 'execute'>,
  tool: Tool,
  { title, input, output }: ToolExample,
): Promise<Outcome> => {
  const { success, status, data, error, metadata } = await crib.execute(tool.name, input);
  const promised = success && output !== undefined;
  const differences = promised ? exampleDifferences(output, data) : [];
  return {
    tool: tool.name,
    title,
    passed: success && differences.length === 0,
    status,
    durationMs: metadata.duration,
    differences,
    ...(error && { error }),
  };
};

const LONGEST = 300;

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
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

/** Exported for its test. The answer is the exit code. */
export const testFile = async (io: Io, open: OpenCrib, file: string): Promise<number> => {
  assertProjectTrusted(open);
  const outcomes: Outcome[] = [];
  for (const tool of toolsOf(open, resolve(io.cwd, file))) {
    const { examples = [] } = tool;
    if (examples.length === 0) note(io, `${io.noteInk.yellow('!')} ${tool.name} has no examples.`);
    for (const example of examples) {
      const outcome = await tryExample(open.crib, tool, example);
      outcomes.push(outcome);
      if (!io.json) print(io, ...linesOf(io, outcome));
    }
  }
  const failed = outcomes.filter(({ passed }) => !passed).length;
  const passed = outcomes.length - failed;
  if (io.json) printJson(io, { file, passed, failed, examples: outcomes });
  else print(io, `${passed} passed, ${failed} failed`);
  // Nothing tried is nothing proved.
  return failed > 0 || passed === 0 ? 1 : 0;
};

export const toolsTestCommand = (tools: Command, io: Io): Command => {
  const command = withJson(
    tools
      .command('test')
      .argument('<file>', 'a file in the folder of custom tools')
      .description('run the examples of a tool of your own')
      .option('-y, --yes', 'approve the calls yourself, without being asked: you answer for them'),
  ).action(
    leaving(io, async (file: string, options: TestOptions) => {
      const open = await openCrib(io, approverOf(io, options));
      try {
        return await testFile(io, open, file);
      } finally {
        await open.crib.close();
      }
    }),
  );
  return withExamples(command, 'toolcrib tools test .toolcrib/tools/count_words.yml');
};
