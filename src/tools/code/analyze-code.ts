/** `analyze_code`: the findings of a linter, and the complexity of each function. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CompilerOptions } from '../compiler-files.ts';
import { oneLine } from '../one-line.ts';
import { runLinter } from './run-linter.ts';
import { findSources, readSources, type SourceFiles } from './source-files.ts';
import { workOnSources } from './work-on-sources.ts';

const MAX_FILES = 2_000;
const CATEGORIES = ['suspicious', 'perf', 'style', 'pedantic', 'restriction'] as const;

const input = () =>
  z.strictObject({
    path: oneLine(1_000).default('.').describe('A file or folder of the workspace.'),
    lint: z.boolean().default(true).describe('Run the linter.'),
    complexity: z.boolean().default(true).describe('Measure the functions.'),
    categories: z
      .array(z.enum(CATEGORIES))
      .max(CATEGORIES.length)
      .default(['suspicious'])
      .describe('Lint rules besides those for code that is outright wrong.'),
    maxComplexity: z
      .int()
      .min(1)
      .max(1_000)
      .default(10)
      .describe('Functions above this are listed as too complex.'),
    maxResults: z
      .int()
      .min(1)
      .max(5_000)
      .default(200)
      .describe('How many of each to list at most.'),
  });

const place = () => ({
  file: z.string().describe('The file, relative to the workspace root.'),
  line: z.int().describe('Counted from 1.'),
});

const output = () =>
  z.strictObject({
    problems: z
      .array(
        z.strictObject({
          ...place(),
          column: z.int().describe('Counted from 1.'),
          severity: z.enum(['error', 'warning']).describe('How bad it is.'),
          rule: z.string().describe('The rule, e.g. eslint(no-debugger).'),
          message: z.string().describe('What is wrong.'),
          help: z.string().optional().describe('What to do about it.'),
        }),
      )
      .describe('What the linter found.'),
    functions: z
      .array(
        z.strictObject({
          ...place(),
          name: z.string().describe('The function.'),
          complexity: z.int().describe('Its cyclomatic complexity.'),
          lines: z.int().describe('Its length.'),
        }),
      )
      .describe('Functions that are too complex, the worst first.'),
    summary: z.strictObject({
      files: z.int().describe('Source files measured.'),
      functions: z.int().describe('Functions measured.'),
      averageComplexity: z.number().describe('Over all functions; 0 without any.'),
      highestComplexity: z.int().describe('The worst one; 0 without any.'),
      errors: z.int().describe('Errors of the linter.'),
      warnings: z.int().describe('Warnings of the linter.'),
    }),
    truncated: z.boolean().describe('True when there is more than is listed or measured.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;
type Measured = Output['functions'][number];

export interface AnalyzeCodeOptions extends CompilerOptions {
  /** The linter: a name, or the absolute path of one that is trusted. */
  readonly linter?: string;
}

const measureFiles = async (
  { files }: SourceFiles,
  context: ToolContext,
  compiler: CompilerOptions,
): Promise<readonly Measured[]> => {
  const measured: Measured[] = [];
  let done = 0;
  for await (const sources of readSources(context, files)) {
    const answers = await workOnSources({ task: 'measure', sources, compiler }, context.signal);
    for (const [at, { path }] of sources.entries()) {
      measured.push(...(answers[at] ?? []).map((each) => ({ file: path, ...each })));
    }
    done += sources.length;
    context.progress(done / files.length);
  }
  return measured;
};

const summaryOf = (
  files: number,
  measured: readonly Measured[],
  problems: Output['problems'],
): Output['summary'] => {
  const sum = measured.reduce((total, { complexity }) => total + complexity, 0);
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return {
    files,
    functions: measured.length,
    averageComplexity: measured.length === 0 ? 0 : Math.round((sum / measured.length) * 100) / 100,
    highestComplexity: measured.reduce((max, { complexity }) => Math.max(max, complexity), 0),
    errors,
    warnings: problems.length - errors,
  };
};

const analyze = async (
  request: Input,
  context: ToolContext,
  options: AnalyzeCodeOptions,
): Promise<Output> => {
  const { path, maxResults, categories } = request;
  const sources = await findSources(context, path, MAX_FILES);
  const shown = (await context.fs.stat(path))?.path ?? path;
  const { linter = 'oxlint' } = options;
  const problems = request.lint
    ? [...(await runLinter(context, { linter, path: shown, categories }))]
    : [];
  const measured = request.complexity ? await measureFiles(sources, context, options) : [];
  const complex = measured
    .filter(({ complexity }) => complexity > request.maxComplexity)
    .sort((one, other) => other.complexity - one.complexity);
  return {
    problems: problems.slice(0, maxResults),
    functions: complex.slice(0, maxResults),
    summary: summaryOf(sources.files.length, measured, problems),
    truncated: sources.truncated || problems.length > maxResults || complex.length > maxResults,
  };
};

export const defineAnalyzeCode = (options: AnalyzeCodeOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'analyze_code',
    description:
      'Analyses TypeScript and JavaScript: what the linter oxlint finds, and functions whose cyclomatic complexity is too high. A lint configuration of the project may add rules, but load no plugins.',
    source: 'builtin',
    category: 'code_analysis',
    tier: 'read_only',
    idempotent: true,
    capabilities: [{ action: 'analyze', description: 'Lint and measure.', tier: 'read_only' }],
    permissions: ['tool:analyze_code'],
    cost: { model: 'free' },
    timeoutMs: 120_000,
    needs: {
      paths: [{ path: '.', access: 'read' }],
      commands: [`${options.linter ?? 'oxlint'} **`],
    },
    sandbox: { type: 'process' },
    sandboxed: true,
    aliases: ['code:analyze', 'code:lint'],
    tags: ['lint', 'complexity', 'quality', 'typescript', 'javascript', 'analysis'],
    examples: [
      {
        title: 'Analyse one file',
        input: { path: 'src/messy.ts', maxComplexity: 3 },
        output: {
          problems: [
            { file: 'src/messy.ts', line: 2, severity: 'error', rule: 'eslint(no-debugger)' },
          ],
          functions: [{ name: 'messy', line: 1, complexity: 4 }],
          summary: { files: 1, functions: 1 },
        },
      },
    ],
    input,
    output,
    run: (request, context) => analyze(request, context, options),
  });

export const analyzeCode = defineAnalyzeCode();
