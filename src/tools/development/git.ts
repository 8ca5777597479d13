/** `git`: the everyday operations on the repository of the workspace. */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/tool.ts';
import { checkoutKeeping, undoCheckout } from './checkout-undo.ts';
import { commitFiles } from './commit-files.ts';
import {
  GIT_NEEDS,
  type GitInput,
  type GitOperation,
  type GitOutput,
  gitInput,
  gitOutput,
} from './git-fields.ts';
import { type Git, gitPaths, openGit } from './git-repository.ts';
import { COMMIT_FORMAT, readChanges, readCommits } from './read-git-changes.ts';
import { readGitStatus } from './read-git-status.ts';

const MAX_PATCH = 200_000;
const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-color'];

type Outcome = Omit<GitOutput, 'operation'>;
type Step = (asked: GitInput, context: ToolContext) => Promise<Outcome>;

const status: Step = async (_asked, context) => {
  const git = await openGit(context);
  const args = ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all'];
  const { entries, ...rest } = readGitStatus(await git.run(args));
  return { ...rest, entries: [...entries] };
};

const cut = (patch: string) => ({
  patch: patch.slice(0, MAX_PATCH),
  truncated: patch.length > MAX_PATCH,
});

/** The same question twice: once for programs, once for people. */
const changesAndPatch = async (git: Git, command: readonly string[], tail: readonly string[]) => {
  const numbers = await git.run([...command, ...NO_PROGRAMS, '--numstat', '-z', ...tail]);
  const patch = await git.run([...command, ...NO_PROGRAMS, '--patch', ...tail]);
  return { changes: [...readChanges(numbers)], ...cut(patch) };
};

const diff: Step = async ({ ref, paths = [], staged }, context) => {
  const git = await openGit(context);
  const command = ['diff', ...(staged ? ['--cached'] : [])];
  const files = await gitPaths(context, paths);
  return changesAndPatch(git, command, [...(ref ? [ref] : []), '--', ...files]);
};

const commitsOf = (output: string) =>
  readCommits(output).map((commit) => ({ ...commit, parents: [...commit.parents] }));

const log: Step = async ({ ref, paths = [], maxCount = 20, author, since }, context) => {
  const git = await openGit(context);
  const files = await gitPaths(context, paths);
  const output = await git.run([
    'log',
    '-z',
    COMMIT_FORMAT,
    `--max-count=${maxCount}`,
    ...(author ? [`--author=${author}`] : []),
    ...(since ? [`--since=${since}`] : []),
    ...(ref ? [ref] : []),
    '--',
    ...files,
  ]);
  return { commits: commitsOf(output) };
};

const show: Step = async ({ ref = 'HEAD' }, context) => {
  const git = await openGit(context);
  const head = await git.run(['log', '-z', COMMIT_FORMAT, '--max-count=1', ref, '--']);
  const commits = commitsOf(head);
  const shown = await changesAndPatch(git, ['show', '--format='], [commits[0]?.hash ?? ref, '--']);
  return { commits, ...shown };
};

const BRANCH_FORMAT = '--format=%(refname:short)%00%(objectname)%00%(HEAD)%00%(upstream:short)';

const branch: Step = async (_asked, context) => {
  const git = await openGit(context);
  const output = await git.run(['branch', '--list', BRANCH_FORMAT]);
  const branches = output.split('\n').flatMap((line) => {
    const [name = '', commit = '', mark, upstream = ''] = line.split('\0');
    if (commit === '') return [];
    return [{ name, commit, current: mark === '*', ...(upstream && { upstream }) }];
  });
  return { branches };
};

/** The files of the working tree that differ from what a checkout would put there. */
const overwrittenBy = async (git: Git, ref: readonly string[], files: readonly string[]) => {
  const names = ['diff', '--name-only', '-z', '--no-renames', ...NO_PROGRAMS];
  const output = await git.run([...names, ...ref, '--', ...files]);
  return output.split('\0').filter((name) => name !== '');
};

const checkout: Step = async ({ ref, paths, create }, context) => {
  const git = await openGit(context);
  const files = await gitPaths(context, paths ?? []);
  const target = ref ? [ref] : [];
  // The dashes keep a branch from being taken for a file, and a file for a branch.
  const args = ['checkout', '-q', ...(create ? ['-b', create] : []), ...target, '--', ...files];
  // Switching a branch never overwrites a change; git refuses to.
  const overwritten = files.length > 0 ? await overwrittenBy(git, target, files) : [];
  await checkoutKeeping(overwritten, context, () => git.run(args));
  const now = await status({ operation: 'status' }, context);
  return { ...(now.branch && { branch: now.branch }), ...(now.commit && { commit: now.commit }) };
};

const commit: Step = ({ message = '', files }, context) => {
  context.keepForUndo(null);
  return commitFiles({ message, ...(files && { files }) }, context);
};

const STEPS: Readonly<Record<GitOperation, Step>> = {
  status,
  diff,
  log,
  show,
  branch,
  checkout,
  commit,
};

export const git = defineTool<GitInput, GitOutput>({
  name: 'git',
  description:
    'Works with the git repository of the workspace: status, diff, log, show, branch (list), checkout (switch, create, bring files back) and commit. Hooks do not run and nothing is fetched or pushed.',
  source: 'builtin',
  category: 'development',
  tier: 'write',
  actionField: 'operation',
  capabilities: [
    { action: 'status', description: 'See what is changed.', tier: 'read_only' },
    { action: 'diff', description: 'Compare files, commits or branches.', tier: 'read_only' },
    { action: 'log', description: 'List commits.', tier: 'read_only' },
    { action: 'show', description: 'Show one commit.', tier: 'read_only' },
    { action: 'branch', description: 'List branches.', tier: 'read_only' },
    {
      action: 'checkout',
      description: 'Switch branches, or bring files back; undo returns their changes.',
      tier: 'write',
      destructive: true,
      requiresConfirmation: true,
    },
    {
      action: 'commit',
      description: 'Make a commit.',
      tier: 'write',
      requiresConfirmation: true,
    },
  ],
  permissions: ['tool:git'],
  cost: { model: 'free' },
  timeoutMs: 60_000,
  needs: GIT_NEEDS,
  sandbox: { type: 'process' },
  sandboxed: true,
  aliases: ['git:operations'],
  tags: ['git', 'version control', 'status', 'diff', 'log', 'commit', 'branch', 'checkout'],
  examples: [
    {
      title: 'See what is changed',
      input: { operation: 'status' },
      output: { branch: 'main', entries: [{ path: 'notes.txt', state: 'changed', worktree: 'M' }] },
    },
    {
      title: 'Read the last commits',
      input: { operation: 'log', maxCount: 5 },
      output: { commits: [{ subject: 'First notes' }] },
    },
    {
      title: 'Compare with the last commit',
      input: { operation: 'diff', ref: 'HEAD', paths: ['notes.txt'] },
      output: { changes: [{ path: 'notes.txt', insertions: 1, deletions: 0 }], truncated: false },
    },
    {
      title: 'Start a branch',
      input: { operation: 'checkout', create: 'feature/notes' },
      output: { branch: 'feature/notes' },
    },
  ],
  input: gitInput,
  output: gitOutput,
  run: async (asked, context) => ({
    operation: asked.operation,
    ...(await STEPS[asked.operation](asked, context)),
  }),
  undo: (_asked, past, context) => undoCheckout(past.kept, context),
});
