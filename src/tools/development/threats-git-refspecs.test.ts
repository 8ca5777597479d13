/** Threat: the configuration of a repository says where fetched and pushed branches go. */
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitServer, openGitServer } from '../../../test/fixtures/git-server.ts';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import type { Crib } from '../../contract/crib.ts';
import type { ToolResult } from '../../contract/result.ts';
import { createCrib } from '../../crib/create-crib.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

/** Bubblewrap or openssl, for the certificate of the server, is not installed; in CI that is a failure. */
const missing = isMissing('bwrap') || isMissing('openssl');

let server: GitServer;
let workspace: GitWorkspace;
let crib: Crib;

beforeAll(async () => {
  server = await openGitServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  workspace = createGitWorkspace();
  workspace.put('.git/server.crt', server.certificate);
  workspace.git('config', 'http.sslCAInfo', join(workspace.root, '.git/server.crt'));
  workspace.git('remote', 'add', 'origin', server.url);
  workspace.git('push', '-q', '-f', server.path, 'main:main', 'main:production');
  crib = await createCrib({
    root: workspace.root,
    store: 'memory',
    config: { egress: { allowPrivate: ['127.0.0.1'] } },
    approver: () => true,
    watch: false,
  });
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
  for (const ref of server.git('for-each-ref', '--format=%(refname)').split('\n')) {
    if (ref !== '') server.git('update-ref', '-d', ref);
  }
});

const commit = (message: string): string => {
  workspace.git('commit', '-q', '--allow-empty', '-m', message);
  return workspace.git('rev-parse', 'HEAD').trim();
};
/** Gives the code of the failure, with its message where the sandbox failed. */
const codeOf = ({ error }: ToolResult): string | undefined =>
  error?.code === 'SANDBOX_ERROR' ? `${error.code}: ${error.message}` : error?.code;
const push = async (branch = 'main') =>
  codeOf(await crib.execute('git_remote', { operation: 'push', branch, url: server.url }));
const fetch = async (more: object = {}) =>
  codeOf(await crib.execute('git_remote', { operation: 'fetch', ...more }));
const onServer = (ref: string): string => server.git('rev-parse', ref).trim();
const here = (ref: string): string => workspace.git('rev-parse', ref).trim();

describe.skipIf(missing)('a push', () => {
  it.each([
    ['another branch', [['remote.origin.push', 'refs/heads/main:refs/heads/production']]],
    [
      'the upstream',
      [
        ['push.default', 'upstream'],
        ['branch.main.remote', 'origin'],
        ['branch.main.merge', 'refs/heads/production'],
      ],
    ],
  ])('goes to the branch of its name, not to %s', async (_title, settings) => {
    for (const [name = '', value = ''] of settings) workspace.git('config', name, value);
    const before = onServer('production');
    const head = commit('Mine');
    expect(await push()).toBeUndefined();
    expect([onServer('main'), onServer('production')]).toEqual([head, before]);
  });

  it('is never forced', async () => {
    commit('Theirs');
    workspace.git('push', '-q', server.path, 'main:main');
    const theirs = onServer('main');
    workspace.git('reset', '-q', '--soft', 'HEAD^');
    commit('Mine');
    workspace.git('config', 'remote.origin.push', '+refs/heads/*:refs/heads/*');
    expect(await push()).toBe('CONFLICT');
    expect(onServer('main')).toBe(theirs);
  });

  it('takes no other tags along, and sends a tag that is named', async () => {
    commit('Mine');
    workspace.git('tag', '-m', 'private', 'private');
    workspace.git('tag', '-m', 'one', 'v1');
    workspace.git('config', 'push.followTags', 'true');
    expect(await push()).toBeUndefined();
    expect(server.git('tag', '--list').trim()).toBe('');
    expect(await push('v1')).toBeUndefined();
    expect(server.git('tag', '--list').trim()).toBe('v1');
    expect(await push('nowhere')).toBe('NOT_FOUND');
  });

  it('sends the branch where a tag has the same name', async () => {
    workspace.git('tag', 'main');
    const head = commit('Mine');
    expect(await push()).toBeUndefined();
    expect(onServer('refs/heads/main')).toBe(head);
  });
});

describe.skipIf(missing)('a fetch', () => {
  it.each([{}, { branch: 'work' }])('overwrites no branch of the owner: %j', async (more) => {
    workspace.git('branch', 'work');
    workspace.git('push', '-q', server.path, 'work');
    workspace.git('checkout', '-q', 'work');
    const mine = commit('Mine');
    workspace.git('checkout', '-q', 'main');
    workspace.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/heads/*');
    expect(await fetch(more)).toBeUndefined();
    expect(here('refs/heads/work')).toBe(mine);
    expect(here('refs/remotes/origin/work')).toBe(onServer('work'));
  });

  it('removes no branch or tag', async () => {
    workspace.git('branch', 'mine');
    workspace.git('tag', 'local');
    const settings = [
      ['remote.origin.prune', 'true'],
      ['remote.origin.pruneTags', 'true'],
      ['fetch.prune', 'true'],
      ['fetch.pruneTags', 'true'],
    ] as const;
    for (const [name, value] of settings) workspace.git('config', name, value);
    workspace.git('config', 'remote.origin.fetch', '+refs/heads/*:refs/heads/*');
    expect(await fetch()).toBeUndefined();
    expect(workspace.git('tag', '--list').trim()).toBe('local');
    expect(here('refs/heads/mine')).toBe(here('main'));
  });
});

describe.skipIf(missing)('a pull', () => {
  it('takes the branch of the remote, not a tag or branch that is called like it', async () => {
    const before = here('main');
    const theirs = commit('Theirs');
    workspace.git('push', '-q', server.path, 'main:main');
    commit('Evil');
    workspace.git('tag', 'origin/main');
    workspace.git('reset', '-q', '--hard', before);
    const { error } = await crib.execute('git_remote', { operation: 'pull' });
    expect(error).toBeUndefined();
    expect(here('HEAD')).toBe(theirs);
  });
});
