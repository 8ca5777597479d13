/** `git_remote`: fetches commits from the remotes of the repository, and pushes commits to them. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { type HostCredentials, headerFor, secretsOf } from '../host-credential.ts';
import { operand } from '../one-line.ts';
import { branchName, GIT_NEEDS } from './git-fields.ts';
import { readRemotes, remoteAddress } from './git-remotes.ts';
import { type Git, headOf, openGit } from './git-repository.ts';

const OPERATIONS = ['remotes', 'fetch', 'pull', 'push'] as const;
const TIMEOUT_MS = 300_000;

const fields = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What to do.'),
    remote: operand(100)
      .regex(/^[A-Za-z0-9][\w-]*(?:\.[\w-]+)*$/, 'The name of a remote, such as origin.')
      .default('origin')
      .describe('The name of the remote; addresses are those of the repository.'),
    branch: branchName
      .optional()
      .describe(
        'fetch: this branch alone. pull: the one checked out if absent. push: the branch or tag.',
      ),
    url: operand(1_000)
      .optional()
      .describe(
        'push: the address it goes to, as remotes tells it; needed. The push goes nowhere else.',
      ),
  });

type Input = z.infer<ReturnType<typeof fields>>;

const input = () =>
  fields().superRefine((request, context) => {
    const report = (field: keyof Input, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    const isPush = request.operation === 'push';
    for (const field of ['branch', 'url'] as const) {
      if (isPush && request[field] === undefined)
        report(field, `The operation push needs ${field}.`);
    }
    if (!isPush && request.url !== undefined) report('url', 'Only for push.');
    if (request.operation === 'remotes' && request.branch) report('branch', 'Not for remotes.');
  });

const output = () =>
  z.strictObject({
    operation: z.enum(OPERATIONS).describe('What was done.'),
    remotes: z
      .array(
        z.strictObject({
          name: z.string().describe('The remote.'),
          fetchUrl: z.string().describe('Where commits come from.'),
          pushUrl: z.string().describe('Where commits go.'),
        }),
      )
      .optional()
      .describe('remotes: all of them.'),
    url: z.string().optional().describe('fetch, pull, push: the address that was used.'),
    updated: z
      .array(
        z.strictObject({
          ref: z.string().describe('The branch of the remote, such as origin/main.'),
          from: z.string().optional().describe('The commit before; absent for a new one.'),
          to: z.string().describe('The commit now.'),
        }),
      )
      .optional()
      .describe('fetch, pull, push: what is known of the remote and changed.'),
    commit: z.string().optional().describe('pull: the commit that is checked out now.'),
    previousCommit: z.string().optional().describe('pull: the one before.'),
  });

type Output = z.infer<ReturnType<typeof output>>;
type Outcome = Omit<Output, 'operation'>;

export interface GitRemoteOptions {
  /** Secrets by host; requests to other hosts carry no credential. */
  readonly credentials?: HostCredentials;
}

/** What a step works with. */
interface Session {
  readonly git: Git;
  readonly context: ToolContext;
  readonly options: GitRemoteOptions;
}

const REF_FORMAT = '--format=%(refname:short)%00%(objectname)';

const remoteBranches = async (git: Git): Promise<ReadonlyMap<string, string>> => {
  const lines = (await git.run(['branch', '-r', REF_FORMAT])).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [ref = '', commit = ''] = line.split('\0');
      return commit === '' ? [] : [[ref, commit] as const];
    }),
  );
};

/** Runs git with network access to one host, and lists the remote branches that have changed. */
const runAt = async (
  address: URL,
  args: readonly string[],
  { git, context, options }: Session,
): Promise<Outcome> => {
  const before = await remoteBranches(git);
  const held = await headerFor(address, options.credentials ?? {}, context);
  const { origin, hostname, port } = address;
  await git.run(args, {
    hosts: [`${hostname}:${port || 443}`],
    timeoutMs: TIMEOUT_MS,
    ...(held && { gitHeader: { origin, header: `${held.name}: ${held.value}` } }),
  });
  const updated = [];
  for (const [ref, to] of await remoteBranches(git)) {
    const from = before.get(ref);
    if (from !== to) updated.push({ ref, ...(from !== undefined && { from }), to });
  }
  return { url: address.href, updated };
};

/**
 * Fetches with an explicit refspec and ignores those of the configuration, which could overwrite or
 * remove branches of the owner.
 */
const fetchFrom = async ({ remote, branch = '*' }: Input, session: Session): Promise<Outcome> => {
  const address = remoteAddress(await readRemotes(session.git), remote, 'fetchUrl');
  const refspec = `+refs/heads/${branch}:refs/remotes/${remote}/${branch}`;
  return runAt(address, ['fetch', '--quiet', '--no-prune', '--refmap=', remote, refspec], session);
};

/**
 * Finds the branch that is checked out. Its upstream may not be set, because no tool writes the
 * configuration.
 */
const currentBranch = async (git: Git): Promise<string> =>
  (await git.run(['rev-parse', '--abbrev-ref', 'HEAD'])).trim();

/** Fetches, and fast-forwards the branch that is checked out. */
const pull = async (request: Input, session: Session): Promise<Outcome> => {
  const { git } = session;
  if (git.prefix !== '') {
    throw new ToolFailure(
      'PRECONDITION_FAILED',
      'The workspace is a folder of a larger repository, and a pull would change files outside.',
      { suggestions: ['Use fetch, and have a person pull.'] },
    );
  }
  const fetched = await fetchFrom(request, session);
  const previousCommit = await headOf(git);
  const branch = request.branch ?? (await currentBranch(git));
  // The full name, because a tag or a branch can have the short one too.
  const target = `refs/remotes/${request.remote}/${branch}`;
  await git.run(['merge', '--quiet', '--ff-only', target]);
  return { ...fetched, commit: await headOf(git), previousCommit };
};

/** Finds the full name of a branch, or of a tag when there is no such branch. */
const fullName = async (git: Git, name: string): Promise<string> => {
  const [branch, tag] = [`refs/heads/${name}`, `refs/tags/${name}`];
  try {
    await git.run(['rev-parse', '--verify', branch]);
    return branch;
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== 'NOT_FOUND') throw error;
    await git.run(['rev-parse', '--verify', tag]);
    return tag;
  }
};

const push = async (request: Input, session: Session): Promise<Outcome> => {
  const { remote, branch = '', url } = request;
  const address = remoteAddress(await readRemotes(session.git), remote, 'pushUrl');
  // The address in the input was approved; the configuration may name another one by now.
  if (!url || !URL.canParse(url) || new URL(url).href !== address.href) {
    throw new ToolFailure('CONFLICT', `The remote ${remote} pushes to ${address.href}.`, {
      suggestions: ['Call again with this address in url, if that is where the commits should go.'],
    });
  }
  // With both sides named, the configuration cannot add another branch, a tag or a force.
  const name = await fullName(session.git, branch);
  const args = ['push', '--quiet', '--no-follow-tags', remote, `${name}:${name}`];
  return runAt(address, args, session);
};

const STEPS: Readonly<
  Record<Input['operation'], (request: Input, session: Session) => Promise<Outcome>>
> = {
  remotes: async (_request, { git }) => ({ remotes: [...(await readRemotes(git))] }),
  fetch: fetchFrom,
  pull,
  push,
};

export const defineGitRemote = (options: GitRemoteOptions = {}): Tool<Input, Output> =>
  defineTool({
    name: 'git_remote',
    description:
      'Fetches, pulls (fast-forward) and pushes between the repository of the workspace and its remotes, over https. No forced push, hooks, submodules or credential programs.',
    documentation:
      'Remotes are named; their addresses are those of the repository, and only https is used. A push needs the address it goes to, so that whoever approves it sees it. A host named in services.credentials of your own configuration gets its secret; no other host does. A push cannot be undone.',
    source: 'builtin',
    category: 'development',
    tier: 'external_api',
    actionField: 'operation',
    capabilities: [
      { action: 'remotes', description: 'List the remotes.', tier: 'read_only' },
      { action: 'fetch', description: 'Bring commits of a remote.', tier: 'write' },
      {
        action: 'pull',
        description: 'Bring commits of a remote and check them out.',
        tier: 'write',
        requiresConfirmation: true,
      },
      {
        action: 'push',
        description: 'Send commits to a remote; this cannot be undone.',
        tier: 'external_api',
        requiresConfirmation: true,
      },
    ],
    permissions: ['tool:git_remote'],
    cost: { model: 'free' },
    timeoutMs: TIMEOUT_MS + 10_000,
    needs: { ...GIT_NEEDS, hosts: ['*'], secrets: secretsOf(options.credentials ?? {}) },
    sandbox: { type: 'process' },
    sandboxed: true,
    targets: ({ url }) => (url === undefined ? {} : { urls: [url] }),
    aliases: ['git:remote'],
    tags: ['git', 'fetch', 'pull', 'push', 'remote', 'version control'],
    examples: [
      { title: 'List the remotes', input: { operation: 'remotes' }, output: { remotes: [] } },
    ],
    input,
    output,
    run: async (request, context) => {
      const git = await openGit(context);
      const outcome = await STEPS[request.operation](request, { git, context, options });
      return { operation: request.operation, ...outcome };
    },
  });
