/**
 * Runs oxlint and reads its report. A configuration of the project may choose rules; one that is a
 * program, or names plugins or further files, is refused, because oxlint would run them.
 */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { runProgram } from '../run-program.ts';

export interface LintRequest {
  /** The program: a name, or an absolute path that its owner trusts. */
  readonly linter: string;
  /** Relative to the workspace root. */
  readonly path: string;
  /** Rules besides those for code that is plainly wrong. */
  readonly categories: readonly string[];
}

export interface LintProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly rule: string;
  readonly message: string;
  readonly help?: string;
}

const CONFIGURATION = /^(?:\.oxlintrc\.|oxlint\.config\.)/i;
/** `\u` is refused too, because an escape could spell the other two. */
const RUNS_PROGRAMS = /jsPlugins|extends|\\u/i;

const isHarmless = async ({ fs }: ToolContext, path: string): Promise<boolean> =>
  /\.jsonc?$/i.test(path) && !RUNS_PROGRAMS.test(new TextDecoder().decode(await fs.read(path)));

/** Refuses a configuration that runs programs. Reads the root only: oxlint is told to load no other one. */
const assertHarmless = async (context: ToolContext): Promise<void> => {
  for (const { path } of await context.fs.list('.')) {
    if (!CONFIGURATION.test(path) || (await isHarmless(context, path))) continue;
    throw new ToolFailure('PRECONDITION_FAILED', 'The lint configuration would run programs.', {
      suggestions: [
        'Call again with lint: false, or have a person take jsPlugins and extends out of it.',
      ],
    });
  }
};

const firstSpan = (labels: unknown): Readonly<Record<string, unknown>> => {
  const label: unknown = Array.isArray(labels) ? labels[0] : undefined;
  return isRecord(label) && isRecord(label.span) ? label.span : {};
};

const problemOf = (value: unknown): readonly LintProblem[] => {
  if (!isRecord(value)) return [];
  const { filename, code, severity, message, help, labels } = value;
  const { line, column } = firstSpan(labels);
  return [
    {
      file: String(filename ?? '').replace(/^\.\//, ''),
      line: Number(line ?? 1),
      column: Number(column ?? 1),
      severity: severity === 'error' ? 'error' : 'warning',
      rule: String(code ?? 'syntax'),
      message: String(message),
      ...(typeof help === 'string' && { help }),
    },
  ];
};

const unreadable = () =>
  new ToolFailure('EXECUTION_FAILED', 'The linter gave no report that can be read.', {
    suggestions: ['Install oxlint 1.80 or later: `npm install -D oxlint`.'],
  });

const readReport = (text: string): readonly LintProblem[] => {
  try {
    const report: unknown = JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
    const diagnostics = isRecord(report) ? report.diagnostics : undefined;
    if (Array.isArray(diagnostics)) return diagnostics.flatMap(problemOf);
  } catch {
    throw unreadable();
  }
  throw unreadable();
};

/** Runs the linter. Fails with DEPENDENCY_MISSING when it is not installed. */
export const runLinter = async (
  context: ToolContext,
  { linter, path, categories }: LintRequest,
): Promise<readonly LintProblem[]> => {
  await assertHarmless(context);
  const { stdout } = await runProgram(context, {
    program: linter,
    args: [
      '--disable-nested-config',
      '--format=json',
      '--no-error-on-unmatched-pattern',
      '--threads=1',
      '--deny=correctness',
      ...categories.map((category) => `--warn=${category}`),
      // The prefix keeps a name that starts with a dash from being read as an option.
      path.startsWith('-') ? `./${path}` : path,
    ],
    install: 'Install a linter: `npm install -D oxlint`.',
  });
  return readReport(stdout);
};
