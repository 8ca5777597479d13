/** Runs git in the repository of the workspace, and turns its failures into codes of the table. */
import { relative } from 'node:path';
import type { ExecOptions, ToolContext } from '../../contract/context.ts';
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
    says: /^CONFLICT |automatic merge failed|conflicts in index/im,
    code: 'CONFLICT',
    message: 'The merge stopped at conflicts.',
    suggestion:
      'Look at the status, correct the unmerged files, add them and commit; or merge with abort.',
  },
  {
    says: /not possible to fast-forward|diverging branches/i,
    code: 'CONFLICT',
    message: 'Both branches have commits of their own.',
    suggestion: 'Merge the branch with the operation merge of the tool git.',
  },
  {
    says: /would be overwritten|already exists|unmerged|needs merge|conflict/i,
    code: 'CONFLICT',
    message: 'The state of the working tree or of the branches does not allow it.',
    suggestion: 'Look at the status first; commit what is changed, or choose another name.',
  },
  {
    says: /unknown revision|bad revision|bad object|invalid reference|did not match any|ambiguous argument|not a valid object|not something we can merge|needed a single revision|no stash entries|not a valid reference/i,
    code: 'NOT_FOUND',
    message: 'There is no such revision, branch or tracked file.',
    suggestion: 'List the branches or the log first.',
  },
];

const REMOTE_FAILURES: readonly KnownFailure[] = [
  {
    says: /^Connection to .* refused: |transport '.*' not allowed|response 403 from proxy|tunnel failed, response 403/im,
    code: 'PERMISSION_DENIED',
    message: 'The remote may not be reached.',
    suggestion:
      'Only https remotes are used. If the host is local, have a person name it in egress.allowPrivate.',
  },
  {
    says: /authentication failed|could not read (?:username|password)|returned error: 40[13]/i,
    code: 'AUTH_MISSING',
    message: 'The remote wants a credential, or refuses the one it got.',
    suggestion: 'Have a person name a secret for the host in services.credentials.',
  },
  {
    says: /\[(?:remote )?rejected\]|non-fast-forward|fetch first|failed to push some refs/i,
    code: 'CONFLICT',
    message: 'The remote refused the push.',
    suggestion: 'Pull first: the remote may have commits that are not here.',
  },
  {
    says: /src refspec .* does not match|couldn't find remote ref|repository .* not found/i,
    code: 'NOT_FOUND',
    message: 'There is no such branch, tag or repository.',
    suggestion: 'List the branches and remotes first.',
  },
  {
    says: /could not resolve|failed to connect|timed out|unable to access|early EOF|hung up/i,
    code: 'NETWORK',
    message: 'The remote could not be reached.',
    suggestion: 'Try again later.',
  },
];

const failureOf = (exitCode: number, output: string): ToolFailure => {
  const failure = [...REMOTE_FAILURES, ...FAILURES].find(({ says }) => says.test(output));
  if (failure) {
    return new ToolFailure(failure.code, failure.message, { suggestions: [failure.suggestion] });
  }
  return new ToolFailure('EXECUTION_FAILED', `Git ended with exit code ${exitCode}.`, {
    suggestions: ['Look at the status of the repository.'],
  });
};

/** Options that stop git from running programs to show files. */
export const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color'];

type RunOptions = Pick<ExecOptions, 'stdin' | 'hosts' | 'gitHeader' | 'timeoutMs'>;

export interface Git {
  /** The path of the workspace in the repository, such as `packages/app/`; empty at the top. */
  readonly prefix: string;
  /** Runs git and returns its output. Fails with a code of the table when git fails. */
  run(args: readonly string[], options?: RunOptions): Promise<string>;
}

export const headOf = async (git: Git): Promise<string> =>
  (await git.run(['rev-parse', '--verify', 'HEAD'])).trim();

const runIn =
  (context: ToolContext): Git['run'] =>
  async (args, options = {}) => {
    const fixed = ['--no-pager', '--no-optional-locks', '--literal-pathspecs'];
    const { exitCode, stdout, stderr } = await runProgram(context, {
      program: 'git',
      args: [...fixed, ...args],
      install: INSTALL,
      env: { LC_ALL: 'C' },
      // Only a run that names its host has network access.
      hosts: [],
      ...options,
    });
    if (exitCode === 0) return stdout;
    context.logger.debug('Git failed.', { exitCode, stderr: stderr.slice(0, 2_000) });
    throw failureOf(exitCode, `${stderr}\n${stdout}`);
  };

/**
 * Opens the repository of the workspace, or the one that contains it. The broker names it to git,
 * switches off what its configuration could run, and fails with PRECONDITION_FAILED where that is
 * impossible.
 */
export const openGit = async (context: ToolContext): Promise<Git> => {
  const run = runIn(context);
  const isTop = (await context.fs.stat('.git')) !== undefined;
  return { run, prefix: isTop ? '' : (await run(['rev-parse', '--show-prefix'])).trim() };
};

/** Makes paths for git: relative to the root, inside it, and no secret files. */
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
