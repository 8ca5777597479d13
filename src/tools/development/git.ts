/** `git`: the everyday operations on the repository of the workspace. */
import { defineTool } from '../../contract/define-tool.ts';
import { undoCheckout } from './checkout-undo.ts';
import {
  GIT_NEEDS,
  type GitInput,
  type GitOperation,
  type GitOutput,
  gitInput,
  gitOutput,
} from './git-fields.ts';
import { add, checkout, commit, merge, stash, stashPop, tag } from './git-steps-change.ts';
import {
  branch,
  diff,
  type GitStep,
  log,
  show,
  stashList,
  status,
  tags,
} from './git-steps-read.ts';

const STEPS: Readonly<Record<GitOperation, GitStep>> = {
  status,
  diff,
  log,
  show,
  branch,
  tags,
  stash_list: stashList,
  checkout,
  add,
  commit,
  merge,
  stash,
  stash_pop: stashPop,
  tag,
};

export const git = defineTool<GitInput, GitOutput>({
  name: 'git',
  description:
    'Works with the git repository of the workspace: status, diff, log, show, branch (list), checkout (switch, create, bring files back), add, commit, merge, stash and tag. Hooks do not run; git_remote fetches and pushes.',
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
    { action: 'tags', description: 'List tags.', tier: 'read_only' },
    { action: 'stash_list', description: 'List stashes.', tier: 'read_only' },
    { action: 'add', description: 'Stage files.', tier: 'write' },
    {
      action: 'merge',
      description: 'Merge a branch, or end a merge that stopped.',
      tier: 'write',
      requiresConfirmation: true,
    },
    {
      action: 'stash',
      description: 'Put uncommitted work aside.',
      tier: 'write',
      requiresConfirmation: true,
    },
    {
      action: 'stash_pop',
      description: 'Bring back work that was put aside.',
      tier: 'write',
      requiresConfirmation: true,
    },
    { action: 'tag', description: 'Tag a commit.', tier: 'write', requiresConfirmation: true },
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
  tags: [
    ...['git', 'version control', 'status', 'diff', 'log', 'commit', 'branch', 'checkout'],
    ...['merge', 'stash', 'tag', 'stage'],
  ],
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
  run: async (request, context) => ({
    operation: request.operation,
    ...(await STEPS[request.operation](request, context)),
  }),
  undo: (_request, past, context) => undoCheckout(past.kept, context),
});
