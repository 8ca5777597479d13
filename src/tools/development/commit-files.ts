/** One commit, made the same way by `git` and `git_commit`. */
import type { ToolContext } from '../../contract/context.ts';
import { type Git, gitPaths, openGit } from './git-repository.ts';
import { readChanges, totalOf } from './read-git-changes.ts';

export interface CommitRequest {
  readonly message: string;
  /** Only these files; what is staged when absent. */
  readonly files?: readonly string[];
}

export interface CommitReceipt {
  readonly commitHash: string;
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * A paragraph is one argument. A text with line breaks within a paragraph, or one that looks like an
 * option, goes in by standard input.
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
  const commitHash = (await git.run(['rev-parse', '--verify', 'HEAD'])).trim();
  const numstat = ['show', '--format=', '--numstat', '-z', '--no-ext-diff', '--no-textconv'];
  const changes = readChanges(await git.run([...numstat, commitHash, '--']));
  return { commitHash, ...totalOf(changes) };
};

/** Hooks do not run. Fails with CONFLICT when there is nothing to commit. */
export const commitFiles = async (
  { message, files = [] }: CommitRequest,
  context: ToolContext,
): Promise<CommitReceipt> => {
  const git = await openGit(context);
  const paths = await gitPaths(context, files);
  if (paths.length > 0) await git.run(['add', '-A', '--', ...paths]);
  const { args, stdin } = messageOf(message);
  const only = paths.length > 0 ? ['--', ...paths] : [];
  await git.run(['commit', '--quiet', ...args, ...only], stdin);
  return receiptOf(git);
};
