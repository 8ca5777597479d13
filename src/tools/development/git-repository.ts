/**
 * Runs git in the repository of the workspace. What a repository's own configuration could make git
 * run (hooks, monitors, signing, pagers, transports, filters) is switched off or refused first.
 */
import { dirname, relative } from 'node:path';
import type { ToolContext } from '../../contract/context.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { runProgram } from '../run-program.ts';

/** They stand above every configuration file. */
const CONFIGURATION: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.quotePath': 'false',
  'commit.gpgSign': 'false',
  'log.showSignature': 'false',
  'diff.external': '',
  'credential.helper': '',
  'protocol.allow': 'never',
  'gc.auto': '0',
  'maintenance.auto': 'false',
};

/** In the sandbox the folder may seem to belong to somebody else. */
const configured = (root: string): Record<string, string> => {
  const pairs = Object.entries({ ...CONFIGURATION, 'safe.directory': root });
  return Object.fromEntries([
    ['GIT_CONFIG_COUNT', String(pairs.length)],
    ...pairs.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ]);
};

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  LC_ALL: 'C',
};

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

const unusable = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', message, { suggestions: [suggestion] });

/** Sections that make git run programs on files, or read configuration from elsewhere. */
const RUNS_PROGRAMS = /^[ \t]*\[[ \t]*(?:filter|include|includeif)\b/im;

const assertHarmless = async ({ fs }: ToolContext): Promise<void> => {
  const folder = await fs.stat('.git');
  if (folder?.kind !== 'directory') {
    throw unusable(
      'The workspace is not the top of a git repository.',
      'Open the folder that holds .git as the workspace.',
    );
  }
  for (const name of ['.git/config', '.git/config.worktree']) {
    if ((await fs.stat(name)) === undefined) continue;
    const text = new TextDecoder().decode(await fs.read(name, { maxBytes: 1_000_000 }));
    if (RUNS_PROGRAMS.test(text)) {
      throw unusable(
        'The configuration of the repository names filters or further files.',
        'Have a person look at .git/config and move those sections to their own configuration.',
      );
    }
  }
};

export interface Git {
  /** What git wrote. Fails with a code of the table when git does. */
  run(args: readonly string[], stdin?: string): Promise<string>;
}

/** Fails with PRECONDITION_FAILED when the workspace is no repository, or one that runs programs. */
export const openGit = async (context: ToolContext): Promise<Git> => {
  const root = await context.fs.resolve('.', 'read');
  await assertHarmless(context);
  const env = { ...ENVIRONMENT, ...configured(root), GIT_CEILING_DIRECTORIES: dirname(root) };
  return {
    async run(args, stdin) {
      const fixed = ['--no-pager', '--no-optional-locks', '--literal-pathspecs'];
      const { exitCode, stdout, stderr } = await runProgram(context, {
        program: 'git',
        args: [...fixed, ...args],
        install: INSTALL,
        env,
        ...(stdin !== undefined && { stdin }),
      });
      if (exitCode === 0) return stdout;
      context.logger.debug('Git failed.', { exitCode, stderr: stderr.slice(0, 2_000) });
      throw failureOf(exitCode, `${stderr}\n${stdout}`);
    },
  };
};

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
