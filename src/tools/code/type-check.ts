/** `type_check`: the diagnostics of the TypeScript compiler for a project of the workspace. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ProcessPool } from '../../kit/work/process-pool.ts';
import { type CompilerOptions, compilerFiles } from '../compiler-files.ts';
import { oneLine } from '../one-line.ts';

const input = () =>
  z.strictObject({
    projectPath: oneLine(1_000)
      .default('.')
      .describe('The folder with the tsconfig.json, or such a file itself.'),
    strict: z
      .boolean()
      .optional()
      .describe('Overrides the setting of the project; left as it is when absent.'),
    maxErrors: z.int().min(1).max(1_000).default(100).describe('How many errors to list at most.'),
  });

const problem = () =>
  z.strictObject({
    file: z.string().describe('The file, relative to the workspace root.'),
    line: z.int().describe('Counted from 1.'),
    column: z.int().describe('Counted from 1.'),
    code: z.int().describe('The number of the TypeScript message, e.g. 2322.'),
    message: z.string().describe('What is wrong.'),
  });

const output = () =>
  z.strictObject({
    success: z.boolean().describe('True when there are no errors.'),
    errors: z.array(problem()).describe('The errors, in the order of files.'),
    warnings: z.array(problem()).describe('What is worth a look.'),
    totalErrors: z.int().describe('How many errors there are in all.'),
    filesChecked: z.int().describe('How many files of the project were checked.'),
    compiler: z.string().describe('The version of TypeScript.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const configOf = async (path: string, { fs }: ToolContext): Promise<string> => {
  const info = await fs.stat(path);
  const file = info?.kind === 'directory' ? await fs.stat(`${info.path}/tsconfig.json`) : info;
  if (file?.kind === 'file') return file.path;
  throw new ToolFailure('NOT_FOUND', 'There is no tsconfig.json there.', {
    suggestions: ['Name the folder that holds the tsconfig.json, or write one.'],
  });
};

const check = async (
  request: Input,
  context: ToolContext,
  processes: () => Promise<ProcessPool>,
): Promise<Output> => {
  const { strict, maxErrors } = request;
  const config = await configOf(request.projectPath, context);
  const root = (await context.fs.resolve('.', 'read')).replaceAll('\\', '/');
  const { checkInProcess } = await import('./check-in-process.ts');
  const { total, errors, warnings, ...report } = await checkInProcess(
    { root, configFile: `${root}/${config}`, maxErrors, ...(strict !== undefined && { strict }) },
    context,
    await processes(),
  );
  return {
    success: total === 0,
    errors: [...errors],
    warnings: [...warnings],
    totalErrors: total,
    ...report,
  };
};

const CONCURRENCY = { limit: 2, queue: 8 };
const MEMORY_MB = 2_048;

/** Prepares the processes; loads and starts nothing before the first call. */
const openProcesses = (options: CompilerOptions) => {
  let opened: ProcessPool | undefined;
  return {
    get: async (): Promise<ProcessPool> => {
      const { ProcessPool: Pool } = await import('../../kit/work/process-pool.ts');
      const { checkProgram } = await import('./check-program.ts');
      opened ??= new Pool({
        max: CONCURRENCY.limit,
        memoryMb: MEMORY_MB,
        program: checkProgram,
        args: () => compilerFiles(options),
      });
      return opened;
    },
    close: async () => opened?.close(),
  };
};

/** Defines the tool. It keeps processes between calls, so each crib needs its own. */
export const defineTypeCheck = (options: CompilerOptions = {}): Tool<Input, Output> => {
  const processes = openProcesses(options);
  return defineTool({
    name: 'type_check',
    description:
      'Checks the types of a TypeScript project of the workspace with its own tsconfig.json and lists the errors with file, line, column and code. Nothing is run or written.',
    documentation:
      'A tsconfig.json that cannot be parsed is reported by itself, and nothing is compiled. The compiler stays loaded for half a minute after a call, so that the next one is fast; the files are read anew each time.',
    source: 'builtin',
    category: 'validation',
    tier: 'read_only',
    idempotent: true,
    capabilities: [{ action: 'check', description: 'Check types.', tier: 'read_only' }],
    permissions: ['tool:type_check'],
    cost: { model: 'free' },
    timeoutMs: 180_000,
    concurrency: CONCURRENCY,
    needs: { paths: [{ path: '.', access: 'read' }] },
    aliases: ['typescript:check', 'code:type_check'],
    tags: ['typescript', 'types', 'check', 'tsc', 'compile', 'validation'],
    examples: [
      {
        title: 'Check the project in the workspace root',
        input: { projectPath: '.' },
        output: {
          success: false,
          errors: [{ file: 'src/index.ts', line: 1, column: 14, code: 2322 }],
          totalErrors: 1,
        },
      },
    ],
    input,
    output,
    cleanup: processes.close,
    run: (request, context) => check(request, context, processes.get),
  });
};
