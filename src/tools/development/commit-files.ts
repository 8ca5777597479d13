/** Makes one commit, for `git` and for `git_commit`. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { type Git, gitPaths, headOf, openGit } from './git-repository.ts';
import { readChanges, totalOf } from './read-git-changes.ts';

export interface CommitRequest {
  readonly message: string;
  /** The files to commit; when absent, what is staged. */
  readonly files?: readonly string[];
}

export interface CommitReceipt {
  readonly commitHash: string;
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * Passes a message to git: each paragraph as an argument; by standard input when a paragraph has line
 * breaks or looks like an option.
 */
const messageOf = (message: string): { readonly args: readonly string[]; stdin?: string } => {
  const text = message.replaceAll('\r\n', '\n').trim();
  const paragraphs = text.split(/\n{2,}/);
  const isPlain = paragraphs.every((each) => !/^-|[\n\t]/.test(each));
  return isPlain
    ? { args: paragraphs.flatMap((paragraph) => ['-m', paragraph]) }
    : { args: ['--file=-'], stdin: text };
};

const receiptOf = async (git: Git): Promise<CommitReceipt> => {
  const commitHash = await headOf(git);
  const numstat = ['show', '--format=', '--numstat', '-z', '--no-ext-diff', '--no-textconv'];
  const changes = readChanges(await git.run([...numstat, commitHash, '--']));
  return { commitHash, ...totalOf(changes) };
};

/** Lists the files below these paths that git does not track yet, without ignored ones. */
export const newFilesIn = async (
  git: Git,
  paths: readonly string[],
): Promise<readonly string[]> => {
  const listed = await git.run(['ls-files', '-o', '-z', '--exclude-standard', '--', ...paths]);
  return listed.split('\0').filter((name) => name !== '');
};

/** Adds new files to the index without their content, so that a commit can name them. */
const announce = async (git: Git, paths: readonly string[]): Promise<readonly string[]> => {
  if (paths.length === 0) return [];
  const names = await newFilesIn(git, paths);
  if (names.length > 0) await git.run(['add', '-N', '--', ...names]);
  return names;
};

/** Throws when a commit of what is staged would hold files outside the workspace. */
const assertStagedInside = async (git: Git): Promise<void> => {
  if (git.prefix === '') return;
  const staged = await git.run(['diff', '--cached', '--name-only', '-z', '--no-renames']);
  const names = staged.split('\0').filter((name) => name !== '');
  if (names.every((name) => name.startsWith(git.prefix))) return;
  throw new ToolFailure('CONFLICT', 'Files outside the workspace are staged.', {
    suggestions: ['Name the files to commit.'],
  });
};

/**
 * Makes one commit without running hooks. Git takes the content of named files from the working tree into
 * the commit in one step: if that fails or this process ends, the next commit does not include them.
 * Fails with CONFLICT when there is nothing to commit.
 */
export const commitFiles = async (
  { message, files = [] }: CommitRequest,
  context: ToolContext,
): Promise<CommitReceipt> => {
  const git = await openGit(context);
  const paths = await gitPaths(context, files);
  if (paths.length === 0) await assertStagedInside(git);
  const names = await announce(git, paths);
  const { args, stdin } = messageOf(message);
  const pathArgs = paths.length > 0 ? ['--', ...paths] : [];
  try {
    await git.run(
      ['commit', '--quiet', ...args, ...pathArgs],
      stdin === undefined ? {} : { stdin },
    );
  } catch (error) {
    // The failure of the commit is reported; an empty entry that stays in the index is harmless.
    if (names.length > 0) await git.run(['reset', '-q', '--', ...names]).catch(() => undefined);
    throw error;
  }
  return receiptOf(git);
};
