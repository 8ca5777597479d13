/** Runs git in the repository of the workspace, and says in our codes why it failed. */
import { relative } from 'node:path';
import type { ToolContext } from '../../contract/context.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { runProgram } from '../run-program.ts';

const INSTALL =
  'Install git: `apt-get install git`, `brew install git`, or see https://git-scm.com/downloads.';

interface KnownFailure {
  readonly says: RegExp;
  readonly code: ErrorCode;
  readonly message: string;
  readonly suggestion: string;
}

const FAILURES: readonly KnownFailure[] = [
  {
    says: /read-only file system/i,
    code: 'PERMISSION_DENIED',
    message: 'A file that programs run or trust would have changed, so git could not finish.',
    suggestion: 'Look at the status, and have a person do it by hand.',
  },
  {
    says: /not a git repository|does not have any commits yet/i,
    code: 'PRECONDITION_FAILED',
    message: 'The workspace is no git repository, or has no commit yet.',
    suggestion: 'Have a person run `git init`, or make the first commit.',
  },
  {
    says: /tell me who you are|empty ident name|unable to auto-detect email/i,
    code: 'PRECONDITION_FAILED',
    message: 'Git does not know who commits.',
    suggestion: 'Have a person set user.name and user.email in the repository with `git config`.',
  },
  {
    says: /index\.lock|another git process/i,
    code: 'LOCK',
    message: 'Another git process works on the repository.',
    suggestion: 'Wait for it to end and call again.',
  },
  {
    says: /nothing to commit|nothing added to commit|no changes added/i,
    code: 'CONFLICT',
    message: 'There is nothing to commit.',
    suggestion: 'Look at the status, and name the files to commit.',
  },
  {
    says: /would be overwritten|already exists|unmerged|needs merge|conflict/i,
    code: 'CONFLICT',
    message: 'The state of the working tree or of the branches does not allow it.',
    suggestion: 'Look at the status first; commit what is changed, or choose another name.',
  },
  {
    says: /unknown revision|bad revision|bad object|invalid reference|did not match any|ambiguous argument|not a valid object/i,
    code: 'NOT_FOUND',
    message: 'There is no such revision, branch or tracked file.',
    suggestion: 'List the branches or the log first.',
  },
];

const failureOf = (exitCode: number, said: string): ToolFailure => {
  const known = FAILURES.find(({ says }) => says.test(said));
  if (known) {
    return new ToolFailure(known.code, known.message, { suggestions: [known.suggestion] });
  }
  return new ToolFailure('EXECUTION_FAILED', `Git ended with exit code ${exitCode}.`, {
    suggestions: ['Look at the status of the repository.'],
  });
};

export interface Git {
  /** What git wrote. Fails with a code of the table when git does. */
  run(args: readonly string[], stdin?: string): Promise<string>;
}

/**
 * Opens the repository of the workspace. The broker names it to git, switches off what its
 * configuration could run, and fails with PRECONDITION_FAILED where that cannot be done.
 */
export const openGit = async (context: ToolContext): Promise<Git> => ({
  async run(args, stdin) {
    const fixed = ['--no-pager', '--no-optional-locks', '--literal-pathspecs'];
    const { exitCode, stdout, stderr } = await runProgram(context, {
      program: 'git',
      args: [...fixed, ...args],
      install: INSTALL,
      env: { LC_ALL: 'C' },
      ...(stdin !== undefined && { stdin }),
    });
    if (exitCode === 0) return stdout;
    context.logger.debug('Git failed.', { exitCode, stderr: stderr.slice(0, 2_000) });
    throw failureOf(exitCode, `${stderr}\n${stdout}`);
  },
});

/** Names as git wants them: relative to the root, inside it, and nothing that holds secrets. */
export const gitPaths = async (
  { fs }: ToolContext,
  paths: readonly string[],
): Promise<readonly string[]> => {
  const root = await fs.resolve('.', 'read');
  return Promise.all(
    paths.map(async (path) => {
      const absolute = await fs.resolve(path, 'read');
      const name = absolute === root ? '.' : relative(root, absolute).replaceAll('\\', '/');
      return name.startsWith('-') ? `./${name}` : name;
    }),
  );
};
