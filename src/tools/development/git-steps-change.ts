/** The operations of `git` that change the working tree or the repository. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { checkoutKeeping } from './checkout-undo.ts';
import { commitFiles, newFilesIn } from './commit-files.ts';
import { type Git, gitPaths, headOf, NO_PROGRAMS, openGit } from './git-repository.ts';
import { type GitStep, stashList, status } from './git-steps-read.ts';

/** Opens a repository for an operation on its whole working tree. */
const openWholeTree = async (context: ToolContext): Promise<Git> => {
  const git = await openGit(context);
  if (git.prefix === '') return git;
  throw new ToolFailure(
    'PRECONDITION_FAILED',
    'The workspace is a folder of a larger repository, and the operation would change files outside.',
    {
      suggestions: [
        'Name files in paths to bring them back, or have a person open the workspace at the top of the repository.',
      ],
    },
  );
};

/** Lists the files of the working tree that a checkout would change. */
const overwrittenBy = async (git: Git, ref: readonly string[], files: readonly string[]) => {
  const names = ['diff', '--name-only', '-z', '--no-renames', '--relative', ...NO_PROGRAMS];
  const output = await git.run([...names, ...ref, '--', ...files]);
  return output.split('\0').filter((name) => name !== '');
};

export const checkout: GitStep = async ({ ref, paths, create }, context) => {
  const git = await (paths ? openGit(context) : openWholeTree(context));
  const files = await gitPaths(context, paths ?? []);
  const target = ref ? [ref] : [];
  // `--` keeps git from taking a branch for a file, or a file for a branch.
  const args = ['checkout', '-q', ...(create ? ['-b', create] : []), ...target, '--', ...files];
  // Switching a branch never overwrites a change, because git refuses to.
  const overwritten = files.length > 0 ? await overwrittenBy(git, target, files) : [];
  await checkoutKeeping(overwritten, context, () => git.run(args));
  const now = await status({ operation: 'status' }, context);
  return { ...(now.branch && { branch: now.branch }), ...(now.commit && { commit: now.commit }) };
};

export const add: GitStep = async ({ files = [] }, context) => {
  context.keepForUndo(null);
  const git = await openGit(context);
  const paths = await gitPaths(context, files);
  // A folder must not add a secret file, such as a key that was never committed.
  await gitPaths(context, await newFilesIn(git, paths));
  await git.run(['add', '-A', '--', ...paths]);
  const { entries = [] } = await status({ operation: 'status' }, context);
  return { entries };
};

export const commit: GitStep = ({ message = '', files }, context) => {
  context.keepForUndo(null);
  return commitFiles({ message, ...(files && { files }) }, context);
};

/** Aborts a merge. Stores what was done about its conflicts for undo. */
const abortMerge: GitStep = async (_request, context) => {
  const git = await openWholeTree(context);
  const changed = await overwrittenBy(git, ['HEAD'], []);
  await checkoutKeeping(changed, context, () => git.run(['merge', '--abort']));
  return { commit: await headOf(git) };
};

/**
 * Refuses a branch that changes files of `.toolcrib`, before anything happens. The sandbox would keep the
 * files unchanged, but only after git has moved the branch.
 */
const assertKeepsSettings = async (git: Git, ref: string): Promise<void> => {
  const names = [
    'diff',
    '--name-only',
    '-z',
    '--no-renames',
    ...NO_PROGRAMS,
    `HEAD...${ref}`,
    '--',
  ];
  // For an unknown or unrelated revision the merge itself reports the error.
  const output = await git.run(names).catch(() => '');
  if (!output.split('\0').some((name) => name.startsWith('.toolcrib/'))) return;
  throw new ToolFailure('PERMISSION_DENIED', 'The branch changes files in .toolcrib.', {
    suggestions: [
      'Nothing was merged: what is in .toolcrib governs the tools themselves. Have a person read it and merge by hand.',
    ],
  });
};

export const merge: GitStep = async (request, context) => {
  if (request.abort) return abortMerge(request, context);
  const { ref = '', message, ffOnly } = request;
  context.keepForUndo(null);
  const git = await openWholeTree(context);
  await assertKeepsSettings(git, ref);
  const previousCommit = await headOf(git);
  const options = [...(ffOnly ? ['--ff-only'] : []), ...(message ? ['-m', message] : [])];
  await git.run(['merge', '--quiet', '--no-edit', ...options, ref]);
  return { commit: await headOf(git), previousCommit };
};

export const stash: GitStep = async ({ message, files = [] }, context) => {
  context.keepForUndo(null);
  const git = await openWholeTree(context);
  const before = await stashList({ operation: 'stash_list' }, context);
  const paths = await gitPaths(context, files);
  await git.run([
    ...['stash', 'push', '--quiet', ...(message ? ['-m', message] : [])],
    ...(paths.length > 0 ? ['--', ...paths] : []),
  ]);
  const after = await stashList({ operation: 'stash_list' }, context);
  if (after.stashes?.[0]?.commit !== before.stashes?.[0]?.commit) return after;
  throw new ToolFailure('CONFLICT', 'There is nothing to stash.', {
    suggestions: ['Look at the status: files that git does not track are not stashed.'],
  });
};

export const stashPop: GitStep = async ({ ref }, context) => {
  context.keepForUndo(null);
  const git = await openWholeTree(context);
  await git.run(['stash', 'pop', '--quiet', ...(ref ? [ref] : [])]);
  return stashList({ operation: 'stash_list' }, context);
};

export const tag: GitStep = async ({ create = '', ref = 'HEAD', message }, context) => {
  context.keepForUndo(null);
  const git = await openGit(context);
  // A tag can name a file as well, so only commits are tagged.
  const target = (await git.run(['rev-parse', '--verify', `${ref}^{commit}`])).trim();
  await git.run(['tag', '-m', message ?? create, create, target]);
  return { commit: target };
};
