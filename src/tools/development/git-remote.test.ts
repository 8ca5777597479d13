/** git_remote through a whole crib, in the sandbox, against a real git server on loopback. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GitServer, openGitServer } from '../../../test/fixtures/git-server.ts';
import { createGitWorkspace, type GitWorkspace } from '../../../test/fixtures/git-workspace.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { runTool } from '../../../test/fixtures/run-tool.ts';
import { spawnedExec } from '../../../test/fixtures/spawned-exec.ts';
import type { ApprovalRequest } from '../../contract/approver.ts';
import type { Crib } from '../../contract/crib.ts';
import { createCrib } from '../../crib/create-crib.ts';
import { defineGitRemote } from './git-remote.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

/** Bubblewrap or openssl, for the certificate of the server, is not installed; in CI that is a failure. */
const missing = isMissing('bwrap') || isMissing('openssl');

let server: GitServer;
let workspace: GitWorkspace;
let crib: Crib;
const approved: string[] = [];
const approver = ({ action }: ApprovalRequest): boolean => approved.push(action) > 0;

const open = (config: object = { egress: { allowPrivate: ['127.0.0.1'] } }) =>
  createCrib({ root: workspace.root, store: 'memory', config, approver, watch: false });

beforeAll(async () => {
  server = await openGitServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  workspace = createGitWorkspace();
  approved.length = 0;
  server.requests.length = 0;
  workspace.put('.git/server.crt', server.certificate);
  workspace.git('config', 'http.sslCAInfo', join(workspace.root, '.git/server.crt'));
  workspace.git('remote', 'add', 'origin', server.url);
  crib = await open();
});
afterEach(async () => {
  await crib.close();
  workspace.remove();
});

const call = async (operation: string, more: object = {}) => {
  const { data, error, metadata } = await crib.execute('git_remote', { operation, ...more });
  return { data: data as Record<string, unknown> | undefined, error, metadata };
};

/** Another clone of the repository on the server, as a colleague would have it. */
const commitElsewhere = (file: string): string => {
  const other = createGitWorkspace();
  other.git('fetch', '-q', server.path, 'main');
  other.git('checkout', '-q', '-f', '-B', 'main', 'FETCH_HEAD');
  other.put(file, 'elsewhere\n');
  other.git('add', '-A');
  other.git('commit', '-qm', `Add ${file}`);
  other.git('push', '-q', server.path, 'main');
  const commit = other.git('rev-parse', 'HEAD').trim();
  other.remove();
  return commit;
};

const pushMain = () => call('push', { branch: 'main', url: server.url });

describe.skipIf(missing)('git_remote', () => {
  it('fetches unasked, lists remotes, pushes after approval, and pulls what others pushed', async () => {
    server.git('update-ref', '-d', 'refs/heads/main');
    expect((await call('fetch')).data).toEqual({
      operation: 'fetch',
      url: server.url,
      updated: [],
    });
    expect(approved).toEqual([]);
    expect((await call('remotes')).data).toEqual({
      operation: 'remotes',
      remotes: [{ name: 'origin', fetchUrl: server.url, pushUrl: server.url }],
    });
    const head = workspace.git('rev-parse', 'HEAD').trim();
    const pushed = await pushMain();
    expect(pushed.error).toBeUndefined();
    expect(pushed.data).toMatchObject({ updated: [{ ref: 'origin/main', to: head }] });
    expect(server.git('rev-parse', 'main').trim()).toBe(head);
    expect(approved.at(-1)).toBe('push');
    const commit = commitElsewhere('other.txt');
    const fetched = await call('fetch');
    expect(fetched.data?.updated).toEqual([{ ref: 'origin/main', from: head, to: commit }]);
    expect(existsSync(join(workspace.root, 'other.txt'))).toBe(false);
    const pulled = await call('pull');
    expect(pulled.data).toMatchObject({ commit, previousCommit: head });
    expect(workspace.text('other.txt')).toBe('elsewhere\n');
    expect(workspace.text('notes.txt')).toBe('one\ntwo\n');
    expect(approved.at(-1)).toBe('pull');
  });

  it('says what to do when histories differ, and pushes nothing by force', async () => {
    server.git('update-ref', '-d', 'refs/heads/main');
    await pushMain();
    const theirs = commitElsewhere('theirs.txt');
    workspace.git('commit', '-qam', 'Mine');
    expect((await pushMain()).error?.code).toBe('CONFLICT');
    expect(server.git('rev-parse', 'main').trim()).toBe(theirs);
    const pulled = await call('pull');
    expect(pulled.error).toMatchObject({
      code: 'CONFLICT',
      suggestions: [expect.stringContaining('merge')],
    });
    const merged = await crib.execute('git', { operation: 'merge', ref: 'origin/main' });
    expect(merged.error).toBeUndefined();
    expect((await pushMain()).error).toBeUndefined();
    for (const branch of ['+main', 'main:other', ':main', '--force']) {
      expect((await call('push', { branch, url: server.url })).error?.code).toBe(
        'VALIDATION_ERROR',
      );
    }
  });

  it('sends the credential of a host to that host, and says when there is none', async () => {
    const secret = 'ghp-canary-1234567890abcdef';
    const authorization = `Basic ${Buffer.from(`x:${secret}`).toString('base64')}`;
    const closed = await openGitServer({ authorization });
    try {
      workspace.put('.git/server.crt', closed.certificate);
      workspace.git('remote', 'set-url', 'origin', closed.url);
      const { host } = new URL(closed.url);
      const input = { branch: 'main', url: closed.url };
      expect((await call('push', input)).error?.code).toBe('AUTH_MISSING');
      await crib.close();
      const credentials = { [host]: { secret: 'GIT_TOKEN', scheme: 'basic', username: 'x' } };
      vi.stubEnv('GIT_TOKEN', secret);
      crib = await open({ egress: { allowPrivate: ['127.0.0.1'] }, services: { credentials } });
      const pushed = await call('push', input);
      expect(pushed.error).toBeUndefined();
      expect(JSON.stringify(pushed)).not.toContain(secret);
      expect(closed.git('rev-parse', 'main')).toBe(workspace.git('rev-parse', 'HEAD'));
      // threat: whoever answers in the place of the host would get the credential.
      workspace.git('config', `http.${closed.url}.sslVerify`, 'false');
      closed.requests.length = 0;
      expect((await call('push', input)).error?.code).toBe('PRECONDITION_FAILED');
      expect(closed.requests).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
      await closed.close();
    }
  });
});

describe.skipIf(missing)('the network of git_remote', () => {
  it('is the address of the remote for fetch and push, and none for anything else', async () => {
    const tool = defineGitRemote();
    const runs: (readonly [string, readonly string[] | undefined])[] = [];
    const { exec: start } = spawnedExec({ root: workspace.root, tool });
    const exec: typeof start = async (command, args = [], options = {}) => {
      const name = args.find((word) => !word.startsWith('-')) ?? '';
      runs.push([name, options.hosts]);
      const isRemote = name === 'fetch' || name === 'push';
      return isRemote ? { exitCode: 0, stdout: '', stderr: '' } : start(command, args, options);
    };
    const context = workspace.contextFor(tool, { exec });
    const { host } = new URL(server.url);
    await runTool(tool, { operation: 'fetch' }, context);
    await runTool(tool, { operation: 'push', branch: 'main', url: server.url }, context);
    const [remote, local] = [true, false].map((isRemote) =>
      runs.filter(([name]) => ['fetch', 'push'].includes(name) === isRemote),
    );
    expect(remote).toEqual([
      ['fetch', [host]],
      ['push', [host]],
    ]);
    expect(local?.every(([, hosts]) => hosts?.length === 0)).toBe(true);
  });
});

describe.skipIf(missing)('threat: remotes that lead elsewhere', () => {
  it('a push goes to the address that was approved, whatever insteadOf makes of the remote', async () => {
    const other = await openGitServer();
    try {
      workspace.git('config', `url.${other.url}.insteadOf`, server.url);
      const { error } = await call('push', { branch: 'main', url: server.url });
      expect(error).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(other.url),
      });
      workspace.git('config', '--unset', `url.${other.url}.insteadOf`);
      workspace.git('config', `url.${other.url}.pushInsteadOf`, server.url);
      expect((await call('push', { branch: 'main', url: server.url })).error?.code).toBe(
        'CONFLICT',
      );
      expect(other.requests).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it.each([
    ['ext::', (canary: string) => `ext::sh -c touch% ${canary}`],
    ['a folder', (_canary: string, root: string) => join(root, 'evil')],
    ['file:', (_canary: string, root: string) => `file://${join(root, 'evil')}`],
    ['ssh', () => 'git@127.0.0.1:repo.git'],
    ['http', () => 'http://127.0.0.1:9/repo.git'],
  ])('%s is refused, and runs nothing', async (_title, urlOf) => {
    const canary = join(workspace.root, 'pwned');
    const hooks = join(workspace.root, 'evil/hooks');
    mkdirSync(hooks, { recursive: true });
    for (const name of ['pre-receive', 'post-upload-pack']) {
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
    }
    const url = urlOf(canary, workspace.root);
    workspace.git('config', 'remote.origin.url', url);
    workspace.git('config', 'protocol.ext.allow', 'always');
    workspace.git('config', 'remote.origin.uploadpack', `touch ${canary}`);
    workspace.git('config', 'remote.origin.receivepack', `touch ${canary}`);
    workspace.git('config', 'core.sshCommand', `touch ${canary}`);
    workspace.git('config', 'core.askPass', `touch ${canary}`);
    for (const input of [{ operation: 'fetch' }, { operation: 'push', branch: 'main', url }]) {
      const { error } = await crib.execute('git_remote', input);
      expect(error?.code).toMatch(/PERMISSION_DENIED|VALIDATION_ERROR|SECURITY_VIOLATION|CONFLICT/);
    }
    expect(existsSync(canary)).toBe(false);
  });

  it.each([
    { operation: 'fetch', remote: '--upload-pack=touch pwned' },
    { operation: 'fetch', remote: 'ext::touch pwned' },
    { operation: 'fetch', remote: './evil' },
    { operation: 'fetch', remote: '../evil' },
    { operation: 'fetch', branch: '--upload-pack=touch' },
    { operation: 'fetch', branch: 'main:refs/heads/main' },
    { operation: 'fetch', url: 'https://example.org/x.git' },
    { operation: 'push', branch: 'main' },
  ])('%j is refused before git starts', async (input) => {
    expect((await crib.execute('git_remote', input)).error?.code).toMatch(
      /VALIDATION_ERROR|SECURITY_VIOLATION/,
    );
    expect(server.requests).toEqual([]);
  });

  it('a local server is not reached unless the configuration allows it', async () => {
    await crib.close();
    crib = await open({});
    const { error } = await call('fetch');
    expect(error?.code).toMatch(/PERMISSION_DENIED|SECURITY_VIOLATION/);
    expect(server.requests).toEqual([]);
  });

  it('submodules of what is pulled are not fetched', async () => {
    server.git('update-ref', '-d', 'refs/heads/main');
    await pushMain();
    commitElsewhere('.gitmodules');
    workspace.git('config', 'submodule.recurse', 'true');
    workspace.git('config', 'fetch.recurseSubmodules', 'true');
    expect((await call('pull')).error).toBeUndefined();
    expect(workspace.text('.gitmodules')).toBe('elsewhere\n');
  });

  it('a credential helper or hook of the repository does not run', async () => {
    const canary = join(workspace.root, 'pwned');
    server.git('update-ref', '-d', 'refs/heads/main');
    workspace.git('config', 'credential.helper', `!touch ${canary}`);
    workspace.git('config', `credential.${server.url}.helper`, `!touch ${canary}`);
    workspace.put('.git/hooks/pre-push', `#!/bin/sh\ntouch ${canary}\n`);
    expect((await pushMain()).error).toBeUndefined();
    expect(existsSync(canary)).toBe(false);
  });
});
