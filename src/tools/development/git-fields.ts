/** Input and output of `git`: one list of fields, and which of them each operation uses. */
import { z } from 'zod';
import type { Needs } from '../../contract/needs.ts';
import { oneLine, operand } from '../one-line.ts';

export const OPERATIONS = [
  'status',
  'diff',
  'log',
  'show',
  'branch',
  'tags',
  'stash_list',
  'checkout',
  'add',
  'commit',
  'merge',
  'stash',
  'stash_pop',
  'tag',
] as const;
export type GitOperation = (typeof OPERATIONS)[number];

/** A commit, branch, tag or range; `::`, `://` and blanks are refused. */
const revision = operand(250).regex(
  /^(?!.*(?:::|:\/\/))[^\s:?*[\\]+(?::[^\s:]+)?$/,
  'A commit, branch, tag or range such as main..feature.',
);

/** A branch name by the rules of `git check-ref-format`. */
export const branchName = operand(200).regex(
  /^(?!\/|.*(?:\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)))(?!\.)(?!@$)[A-Za-z0-9][\w./@+-]*(?<![./])$/,
  'Letters, digits, "-", "_", "." and "/"; as git accepts it.',
);

const message = () =>
  z
    .string()
    .max(10_000)
    .refine((text) => text.trim() !== '', 'The message is empty.')
    .refine((text) => !/(?![\t\r\n])\p{Cc}/u.test(text), 'No control characters.');

export const paths = () => z.array(oneLine(1_000)).min(1).max(1_000);

const fields = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What to do.'),
    ref: revision
      .optional()
      .describe('diff, log, show, checkout, merge, tag, stash_pop: the revision, branch or range.'),
    paths: paths()
      .optional()
      .describe('diff, log: only these. checkout: bring these back from ref.'),
    staged: z.boolean().optional().describe('diff: what is staged instead of what is not.'),
    maxCount: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe('log: how many commits; 20 by default.'),
    author: operand(200).optional().describe('log: only commits of this author.'),
    since: operand(100).optional().describe('log: only commits after this date.'),
    create: branchName
      .optional()
      .describe('checkout: make this branch at ref (or here) and use it. tag: the new tag.'),
    message: message().optional().describe('commit, merge, stash, tag: what was done and why.'),
    files: paths()
      .optional()
      .describe(
        'add: these files. commit: only these; otherwise what is staged. stash: only these.',
      ),
    ffOnly: z.boolean().optional().describe('merge: only where no merge commit is needed.'),
    abort: z.boolean().optional().describe('merge: end a merge that stopped at conflicts.'),
  });

export type GitInput = z.infer<ReturnType<typeof fields>>;

const KNOWN: Readonly<Record<GitOperation, readonly (keyof GitInput)[]>> = {
  status: [],
  diff: ['ref', 'paths', 'staged'],
  log: ['ref', 'paths', 'maxCount', 'author', 'since'],
  show: ['ref'],
  branch: [],
  tags: [],
  stash_list: [],
  checkout: ['ref', 'paths', 'create'],
  add: ['files'],
  commit: ['message', 'files'],
  merge: ['ref', 'message', 'ffOnly', 'abort'],
  stash: ['message', 'files'],
  stash_pop: ['ref'],
  tag: ['create', 'ref', 'message'],
};

const REQUIRED: Readonly<Partial<Record<GitOperation, keyof GitInput>>> = {
  add: 'files',
  commit: 'message',
  tag: 'create',
};

type Report = (field: keyof GitInput, message: string) => void;

/** Reports fields that the operation would ignore, and fields that it lacks. */
const checkFields = (request: GitInput, report: Report): void => {
  const { operation } = request;
  for (const field of Object.keys(request) as (keyof GitInput)[]) {
    const isKnown = field === 'operation' || KNOWN[operation].includes(field);
    if (!isKnown) report(field, `The operation ${operation} has no such field.`);
  }
  const required = REQUIRED[operation];
  if (required !== undefined && request[required] === undefined) {
    report(required, `The operation ${operation} needs ${required}.`);
  }
  if (operation !== 'commit' && /^-|[\r\n\t]/.test(request.message ?? '')) {
    report('message', 'One line that does not start with a dash.');
  }
  if (operation === 'merge' && (request.ref === undefined) !== (request.abort === true)) {
    report('ref', 'Name a branch to merge, or set abort.');
  }
  if (operation !== 'checkout') return;
  if (!(request.ref ?? request.create ?? request.paths)) report('ref', 'Name a branch or files.');
  if (request.create && request.paths) report('paths', 'Not together with create.');
};

export const gitInput = () =>
  fields().superRefine((request, context) =>
    checkFields(request, (field, text) =>
      context.addIssue({ code: 'custom', path: [field], message: text }),
    ),
  );

export const commitMessage = () => message();

const count = (text: string) => z.int().optional().describe(text);

const entry = () =>
  z.strictObject({
    path: z.string().describe('The file, relative to the workspace root.'),
    state: z
      .enum(['changed', 'renamed', 'unmerged', 'untracked', 'ignored'])
      .describe('What is the matter with it.'),
    index: z.string().describe('The staged change as one letter; "." for none.'),
    worktree: z.string().describe('The change that is not staged, likewise.'),
    from: z.string().optional().describe('Where it was before.'),
  });

const change = () =>
  z.strictObject({
    path: z.string().describe('The file.'),
    from: z.string().optional().describe('Where it was before.'),
    insertions: count('Lines added; absent for binary files.'),
    deletions: count('Lines taken away; absent for binary files.'),
  });

const commit = () =>
  z.strictObject({
    hash: z.string().describe('The full hash.'),
    parents: z.array(z.string()).describe('The hashes of its parents.'),
    author: z.string().describe('Who wrote it.'),
    email: z.string().describe('Their address.'),
    date: z.string().describe('When, as ISO 8601.'),
    subject: z.string().describe('The first line of the message.'),
    body: z.string().describe('The rest of the message.'),
  });

const branch = () =>
  z.strictObject({
    name: z.string().describe('The branch.'),
    commit: z.string().describe('The commit it points to.'),
    current: z.boolean().describe('True for the one that is checked out.'),
    upstream: z.string().optional().describe('The branch it follows.'),
  });

const named = () =>
  z.strictObject({
    name: z.string().describe('Its name.'),
    commit: z.string().describe('The commit it points to.'),
    subject: z.string().describe('The first line of its message.'),
  });

export const gitOutput = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What was done.'),
    branch: z.string().optional().describe('status, checkout: the branch; absent when detached.'),
    commit: z
      .string()
      .optional()
      .describe('status, checkout, merge: the commit that is checked out. tag: the one it names.'),
    previousCommit: z.string().optional().describe('merge: what was checked out before.'),
    upstream: z.string().optional().describe('status: the branch it follows.'),
    ahead: count('status: commits the upstream does not have.'),
    behind: count('status: commits only the upstream has.'),
    entries: z
      .array(entry())
      .optional()
      .describe('status, add: what is not as in the last commit.'),
    changes: z.array(change()).optional().describe('diff, show: the files changed.'),
    patch: z.string().optional().describe('diff, show: the change as a unified diff.'),
    truncated: z.boolean().optional().describe('diff, show: the patch was too long and is cut.'),
    commits: z.array(commit()).optional().describe('log, show: the commits, newest first.'),
    branches: z.array(branch()).optional().describe('branch: the local branches.'),
    tags: z.array(named()).optional().describe('tags: newest first.'),
    stashes: z.array(named()).optional().describe('stash operations: what is put aside.'),
    commitHash: z.string().optional().describe('commit: the new commit.'),
    filesChanged: count('commit: how many files it changes.'),
    insertions: count('commit: lines added.'),
    deletions: count('commit: lines taken away.'),
  });

export type GitOutput = z.infer<ReturnType<typeof gitOutput>>;

/** Declares the repository by name: otherwise its folder is read-only in the sandbox. */
export const GIT_NEEDS: Needs = {
  paths: [
    { path: '.', access: 'write' },
    { path: '.git', access: 'write' },
  ],
  commands: ['git *'],
};
