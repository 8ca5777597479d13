/** `bash_execution`: one shell command, or one program with its arguments and no shell. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { oneLine } from '../one-line.ts';
import { runProgram } from '../run-program.ts';
import { projectFolder } from './project-folder.ts';

const MAX_ARGUMENTS = 1_000;

const input = () =>
  z
    .strictObject({
      command: z
        .string()
        .max(32_768)
        .refine((text) => text.trim() !== '', 'The command is empty.')
        .refine((text) => !text.includes('\0'), 'No NUL characters.')
        .describe('A bash command; with args the name of a program.'),
      args: z
        .array(
          z
            .string()
            .max(32_768)
            .regex(/^[^\0]*$/, 'No NUL characters.'),
        )
        .max(MAX_ARGUMENTS)
        .optional()
        .describe('Run command as a program with these arguments, without a shell.'),
      timeout: z
        .int()
        .min(1)
        .max(600_000)
        .default(30_000)
        .describe('Milliseconds after which the command is stopped.'),
      cwd: oneLine(1_000).default('.').describe('The folder to run in, below the workspace root.'),
      maxOutput: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(100_000)
        .describe('Characters of each stream to keep; the middle is left out.'),
    })
    .superRefine(({ command, args }, context) => {
      if (args === undefined || /^[\w.+@/:[-]+$/.test(command)) return;
      const message = 'With args it must be the name of a program and nothing else.';
      context.addIssue({ code: 'custom', path: ['command'], message });
    });

const output = () =>
  z.strictObject({
    success: z.boolean().describe('True when the exit code is 0.'),
    exitCode: z.int().describe('The exit code of the command.'),
    stdout: z.string().describe('What it wrote to standard output.'),
    stderr: z.string().describe('What it wrote to standard error.'),
    truncated: z.boolean().describe('True when output was left out.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

/** Cuts out the middle: the start shows what ran, the end how it ended. */
const withoutMiddle = (text: string, maxLength: number): string => {
  if (text.length <= maxLength) return text;
  const head = Math.floor(maxLength / 4);
  const left = text.length - maxLength;
  return `${text.slice(0, head)}\n[${left} characters left out]\n${text.slice(head + left)}`;
};

const argvOf = ({ command, args }: Input): readonly [string, ...string[]] =>
  args ? [command, ...args] : ['bash', '-c', command];

const execute = async (request: Input, context: ToolContext): Promise<Output> => {
  const { args: programArgs, timeout, maxOutput } = request;
  const [program, ...args] = argvOf(request);
  const cwd = await projectFolder(context, request.cwd, 'cwd');
  const { exitCode, stdout, stderr } = await runProgram(context, {
    program,
    args,
    install: programArgs
      ? `Install ${program}, or use another program.`
      : 'Install bash: `apt-get install bash` or `brew install bash`.',
    // 127 of a shell is about another program: bash itself ran, and its output names what is missing.
    isItself: programArgs !== undefined,
    cwd,
    timeoutMs: timeout,
  });
  return {
    success: exitCode === 0,
    exitCode,
    stdout: withoutMiddle(stdout, maxOutput),
    stderr: withoutMiddle(stderr, maxOutput),
    truncated: stdout.length > maxOutput || stderr.length > maxOutput,
  };
};

export const bashExecution = defineTool({
  name: 'bash_execution',
  description:
    'Runs a shell command, or a program with arguments, in the workspace and returns its output and exit code. Only commands that the allowlist covers run, in a sandbox. A non-zero exit code is a result, not a failure.',
  source: 'builtin',
  category: 'development',
  tier: 'execute',
  capabilities: [
    {
      action: 'execute',
      description: 'Run a command.',
      tier: 'execute',
      requiresConfirmation: true,
    },
  ],
  permissions: ['tool:bash_execution'],
  cost: { model: 'free' },
  timeoutMs: 610_000,
  // The star means the commands that the user's configuration allows.
  needs: { paths: [{ path: '.', access: 'write' }], commands: ['*'] },
  programs: (request) => [{ argv: argvOf(request), cwd: request.cwd }],
  sandbox: { type: 'process' },
  sandboxed: true,
  aliases: ['execute_command', 'bash:execute', 'shell:execute'],
  tags: ['shell', 'bash', 'command', 'execute', 'run', 'terminal'],
  examples: [
    {
      title: 'Count the lines of a file',
      input: { command: 'cat notes.txt | wc -l' },
      output: { success: true, exitCode: 0 },
    },
    {
      title: 'Run a program without a shell',
      input: { command: 'head', args: ['-n', '1', 'notes.txt'] },
      output: { success: true, stdout: 'one\n', stderr: '', truncated: false },
    },
  ],
  input,
  output,
  run: execute,
});
