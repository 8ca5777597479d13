/** The operations of `git` that only read: status, diff, log, show, branches, tags and stashes. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { GitInput, GitOutput } from './git-fields.ts';
import { type Git, gitPaths, NO_PROGRAMS, openGit } from './git-repository.ts';
import { COMMIT_FORMAT, readChanges, readCommits } from './read-git-changes.ts';
import { readGitStatus } from './read-git-status.ts';

const MAX_PATCH = 200_000;

type GitOutcome = Omit<GitOutput, 'operation'>;
export type GitStep = (request: GitInput, context: ToolContext) => Promise<GitOutcome>;

/**
 * Limits a path after a colon to the workspace: git reads it from the top of the repository, which may be
 * above.
 */
const revisionIn = ({ prefix }: Git, ref: string | undefined): readonly string[] => {
  if (prefix !== '' && ref?.includes(':')) {
    throw new ToolFailure('VALIDATION_ERROR', 'The revision names a file of the repository.', {
      issues: [{ path: ['ref'], message: 'No file behind a colon.' }],
      suggestions: ['Name the revision in ref, and the file in paths.'],
    });
  }
  return ref ? [ref] : [];
};

/**
 * Resolves the requested files; when none are named and the workspace is a folder of the repository, all
 * of it.
 */
const pathsIn = async (
  { prefix }: Git,
  paths: readonly string[],
  context: ToolContext,
): Promise<readonly string[]> =>
  paths.length === 0 && prefix !== '' ? ['.'] : gitPaths(context, paths);

export const status: GitStep = async (_request, context) => {
  const git = await openGit(context);
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all'];
  const scope = git.prefix === '' ? [] : ['--', '.'];
  const { entries, ...rest } = readGitStatus(await git.run([...args, ...scope]));
  const inside = (path: string): string =>
    path.startsWith(git.prefix) ? path.slice(git.prefix.length) : path;
  return {
    ...rest,
    entries: entries.map((entry) => ({
      ...entry,
      path: inside(entry.path),
      ...(entry.from !== undefined && { from: inside(entry.from) }),
    })),
  };
};

/** Runs git twice: for the numbers, and for the patch. */
const changesAndPatch = async (git: Git, command: readonly string[], tail: readonly string[]) => {
  const relative = git.prefix === '' ? [] : ['--relative'];
  const options = [...command, ...NO_PROGRAMS, ...relative];
  const numbers = await git.run([...options, '--numstat', '-z', ...tail]);
  const patch = await git.run([...options, '--patch', ...tail]);
  return {
    changes: [...readChanges(numbers)],
    patch: patch.slice(0, MAX_PATCH),
    truncated: patch.length > MAX_PATCH,
  };
};

export const diff: GitStep = async ({ ref, paths = [], staged }, context) => {
  const git = await openGit(context);
  const command = ['diff', ...(staged ? ['--cached'] : [])];
  const files = await pathsIn(git, paths, context);
  return changesAndPatch(git, command, [...revisionIn(git, ref), '--', ...files]);
};

const commitsOf = (output: string) =>
  readCommits(output).map((commit) => ({ ...commit, parents: [...commit.parents] }));

export const log: GitStep = async ({ ref, paths = [], maxCount = 20, author, since }, context) => {
  const git = await openGit(context);
  const files = await pathsIn(git, paths, context);
  const output = await git.run([
    'log',
    '-z',
    COMMIT_FORMAT,
    `--max-count=${maxCount}`,
    ...(author ? [`--author=${author}`] : []),
    ...(since ? [`--since=${since}`] : []),
    ...revisionIn(git, ref),
    '--',
    ...files,
  ]);
  return { commits: commitsOf(output) };
};

export const show: GitStep = async ({ ref = 'HEAD' }, context) => {
  const git = await openGit(context);
  const revision = revisionIn(git, ref);
  const head = await git.run(['log', '-z', COMMIT_FORMAT, '--max-count=1', ...revision, '--']);
  const commits = commitsOf(head);
  const files = await pathsIn(git, [], context);
  const tail = [commits[0]?.hash ?? ref, '--', ...files];
  return { commits, ...(await changesAndPatch(git, ['show', '--format='], tail)) };
};

/** Splits every line of an output into its fields, which are separated by NUL. */
const rowsOf = (output: string): readonly (readonly string[])[] =>
  output
    .split('\n')
    .filter((line) => line.includes('\0'))
    .map((line) => line.split('\0'));

const BRANCH_FORMAT = '--format=%(refname:short)%00%(objectname)%00%(HEAD)%00%(upstream:short)';

export const branch: GitStep = async (_request, context) => {
  const git = await openGit(context);
  const rows = rowsOf(await git.run(['branch', '--list', BRANCH_FORMAT]));
  const branches = rows.map(([name = '', commit = '', mark, upstream = '']) => ({
    name,
    commit,
    current: mark === '*',
    ...(upstream && { upstream }),
  }));
  return { branches };
};

const TAG_FORMAT = '--format=%(refname:short)%00%(objectname)%00%(*objectname)%00%(subject)';

export const tags: GitStep = async (_request, context) => {
  const git = await openGit(context);
  const rows = rowsOf(await git.run(['tag', '--list', '--sort=-creatordate', TAG_FORMAT]));
  return {
    tags: rows.map(([name = '', object = '', peeled = '', subject = '']) => ({
      name,
      commit: peeled || object,
      subject,
    })),
  };
};

export const stashList: GitStep = async (_request, context) => {
  const git = await openGit(context);
  const rows = rowsOf(await git.run(['stash', 'list', '--format=%gd%x00%H%x00%gs']));
  return {
    stashes: rows.map(([name = '', commit = '', subject = '']) => ({ name, commit, subject })),
  };
};
