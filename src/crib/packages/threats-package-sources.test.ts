/** Where packages come from: hostile repositories, registries and folders, judged by what they effect. */
import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  countingTarball,
  openPackageCrib,
  writePackage,
} from '../../../test/fixtures/package-crib.ts';
import { openPackageRegistry } from '../../../test/fixtures/package-registry.ts';

const TIME_LIMIT = 120_000;

let root: string;
const opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-sources-')));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of opened.splice(0)) await one.close();
  await rm(root, { recursive: true, force: true });
});

const open = async () => {
  const crib = await openPackageCrib(root);
  opened.push(crib);
  return crib;
};

const isThere = (name: string): Promise<boolean> =>
  stat(join(root, name)).then(
    () => true,
    () => false,
  );

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** Makes a repository of the files in a folder; gives its address. */
const repositoryOf = (folder: string): string => {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-Af');
  git(folder, 'commit', '-qm', 'one');
  return `git+file://${folder}`;
};

const program = async (name: string): Promise<string> => {
  const file = join(root, name);
  await writeFile(file, `#!/bin/sh\ntouch ${root}/${name}-ran\nexec git "$@"\n`);
  await chmod(file, 0o755);
  return file;
};

const packedFiles = (name = 'counting', version = '1.0.0') =>
  join(root, 'user', 'packages', name, version);

describe('threats: a package from git', { timeout: TIME_LIMIT }, () => {
  it('runs no program that the .npmrc of the repository names', async () => {
    const evil = await program('evil');
    const inner = await writePackage(join(root, 'inner'), { name: 'inner' });
    const folder = await writePackage(join(root, 'repository'), {
      manifest: {
        scripts: { prepare: 'true' },
        dependencies: { inner: repositoryOf(inner) },
      },
    });
    await writeFile(join(folder, '.npmrc'), `git=${evil}\n`);
    const crib = await open();
    await crib.packages.install(repositoryOf(folder));
    expect(await isThere('evil-ran')).toBe(false);
    expect((await crib.execute('count_text', { text: 'ab' })).data).toEqual({ count: 2 });
  });

  it('locks the commit, whatever a branch or tag names later', async () => {
    const folder = await writePackage(join(root, 'repository'));
    const address = repositoryOf(folder);
    const commit = git(folder, 'rev-parse', 'HEAD').trim();
    const crib = await open();
    const { package: installed } = await crib.packages.install(`${address}#main`);
    expect(installed).toMatchObject({
      requested: `${address}#main`,
      resolved: `${address}#${commit}`,
    });
    await writePackage(folder, { version: '1.1.0' });
    git(folder, 'commit', '-qam', 'two');
    expect((await open()).packages.list()).toMatchObject([{ resolved: `${address}#${commit}` }]);
    const updated = await crib.packages.update('counting');
    expect([updated.version, updated.package.resolved]).toEqual([
      '1.1.0',
      `${address}#${git(folder, 'rev-parse', 'HEAD').trim()}`,
    ]);
    const old = await crib.packages.update('counting', { version: commit.slice(0, 10) });
    expect(old.package.resolved).toBe(`${address}#${commit}`);
  });

  it('leaves out links and submodules, and runs neither hook nor filter', async () => {
    const filter = await program('filter');
    await writeFile(join(root, 'secret'), 'secret');
    const inner = await writePackage(join(root, 'inner'), { name: 'inner' });
    const folder = await writePackage(join(root, 'repository'));
    repositoryOf(inner);
    await symlink(join(root, 'secret'), join(folder, 'tools', 'secret.yml'));
    await writeFile(join(folder, '.gitattributes'), '* filter=evil\n');
    const address = repositoryOf(folder);
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'tools/sub');
    git(folder, 'commit', '-qm', 'two');
    await mkdir(join(root, 'home'));
    const settings = `[filter "evil"]\n\tsmudge = ${filter}\n[init]\n\ttemplateDir = ${root}/template\n`;
    await writeFile(join(root, 'home', '.gitconfig'), settings);
    await mkdir(join(root, 'template', 'hooks'), { recursive: true });
    const hook = join(root, 'template', 'hooks', 'reference-transaction');
    await writeFile(hook, `#!/bin/sh\ntouch ${root}/hook-ran\n`);
    await chmod(hook, 0o755);
    vi.stubEnv('HOME', join(root, 'home'));
    const crib = await open();
    await crib.packages.install(address);
    expect([await isThere('filter-ran'), await isThere('hook-ran')]).toEqual([false, false]);
    expect(await readdir(join(packedFiles(), 'tools'))).toEqual(['count.yml']);
  });

  it.each([
    ['a folder of git', '.git', 'folder of git'],
    ['a path that leads out', '..', 'leads out'],
  ])('is refused with %s in its tree, and writes nothing', async (_, name, reason) => {
    const folder = await writePackage(join(root, 'repository'));
    const address = repositoryOf(folder);
    const blob = git(folder, 'rev-parse', 'HEAD:package.json').trim();
    // git itself makes no such tree, so its bytes are written as they are.
    const tree = (entries: readonly (readonly [string, string, string])[]): string => {
      const bytes = entries.map(([mode, path, id]) =>
        Buffer.concat([Buffer.from(`${mode} ${path}\0`), Buffer.from(id, 'hex')]),
      );
      return execFileSync('git', ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], {
        cwd: folder,
        input: Buffer.concat(bytes),
        encoding: 'utf8',
      }).trim();
    };
    const top = tree([
      ['40000', name, tree([['100644', 'planted', blob]])],
      ['100644', 'package.json', blob],
    ]);
    const commit = git(folder, 'commit-tree', top, '-m', 'x').trim();
    git(folder, 'update-ref', 'refs/heads/evil', commit);
    const crib = await open();
    await expect(crib.packages.install(`${address}#evil`)).rejects.toThrow(reason);
    expect(await isThere('planted')).toBe(false);
    expect(crib.packages.list()).toEqual([]);
  });

  it('reports a missing repository, a missing tag and a missing git', async () => {
    const crib = await open();
    const none = crib.packages.install(`git+file://${root}/none`);
    await expect(none).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const address = repositoryOf(await writePackage(join(root, 'repository')));
    for (const ref of ['v9', 'abcdef1']) {
      const failing = crib.packages.install(`${address}#${ref}`);
      await expect(failing).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    vi.stubEnv('PATH', '/nowhere');
    const without = (await open()).packages.install(address);
    await expect(without).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  });
});

describe('threats: a registry', { timeout: TIME_LIMIT }, () => {
  const served = { name: 'counting', version: '1.0.0', tarball: countingTarball() };

  const registryWith = async (more: object) => {
    const registry = await openPackageRegistry();
    opened.push(registry);
    registry.served = [{ ...served, ...more }];
    vi.stubEnv('npm_config_registry', registry.url);
    return registry;
  };

  it('that names a tarball on another host: nothing is fetched there, and no credential is sent', async () => {
    const requests: IncomingHttpHeaders[] = [];
    const other = createServer((request, response) => {
      requests.push(request.headers);
      response.end(served.tarball);
    });
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    opened.push({ close: async () => void other.close() });
    const { port } = other.address() as AddressInfo;
    const registry = await registryWith({
      address: `http://127.0.0.1:${port}/counting/-/1.0.0.tgz`,
    });
    await mkdir(join(root, 'home'));
    const line = `//${new URL(registry.url).host}/:_authToken=canary-token\n`;
    await writeFile(join(root, 'home', '.npmrc'), line);
    vi.stubEnv('HOME', join(root, 'home'));
    const crib = await open();
    await crib.packages.install('counting');
    expect(requests).toEqual([]);
  });

  it('that announces no SHA-512 is refused, and nothing is installed', async () => {
    await registryWith({ isWeak: true });
    const crib = await open();
    await expect(crib.packages.install('counting')).rejects.toThrow('announces no SHA-512');
    expect(crib.packages.list()).toEqual([]);
  });

  it('that gives another package under the name is refused', async () => {
    await registryWith({ tarball: countingTarball({ name: 'other-one' }) });
    const crib = await open();
    await expect(crib.packages.install('counting')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(crib.packages.list()).toEqual([]);
  });

  it('is ignored when the .npmrc of a project names it, also when npm passes it to its programs', async () => {
    const registry = await registryWith({});
    const project = join(root, 'project');
    await mkdir(project);
    await writeFile(join(project, '.npmrc'), `# mine\nregistry = "${registry.url}/"\nfund=true\n`);
    vi.stubEnv('npm_config_local_prefix', project);
    const crib = await open();
    const failing = crib.packages.install('counting');
    await expect(failing).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    await writeFile(join(project, '.npmrc'), 'registry=https://registry.example.com/\n');
    expect((await crib.packages.install('counting')).version).toBe('1.0.0');
  });
});

describe('threats: a package from a folder', { timeout: TIME_LIMIT }, () => {
  it('takes no file from behind a link or from above the folder', async () => {
    await writeFile(join(root, 'secret.yml'), 'canary');
    await mkdir(join(root, 'secrets'));
    await writeFile(join(root, 'secrets', 'key.yml'), 'canary');
    const files = ['tools', '../secret.yml', '../secrets'];
    const folder = await writePackage(join(root, 'source'), { manifest: { files } });
    await symlink(join(root, 'secret.yml'), join(folder, 'tools', 'link.yml'));
    await symlink(join(root, 'secrets'), join(folder, 'tools', 'linked'));
    await writeFile(join(folder, '.npmrc'), 'ignore-scripts=false\n');
    const crib = await open();
    await crib.packages.install(folder);
    expect((await readdir(packedFiles(), { recursive: true })).toSorted()).toEqual([
      ...['package.json', 'tools', 'tools/count.yml'],
    ]);
  });

  it('is installed with the content of a hard link, as with that of any file of the user', async () => {
    const folder = await writePackage(join(root, 'source'));
    await writeFile(join(root, 'other.md'), 'shared');
    await link(join(root, 'other.md'), join(folder, 'readme.md'));
    await (await open()).packages.install(folder);
    const copy = join(packedFiles(), 'readme.md');
    expect([await readFile(copy, 'utf8'), (await stat(copy)).nlink]).toEqual(['shared', 1]);
  });
});
