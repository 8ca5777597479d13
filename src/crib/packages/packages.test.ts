/** Installed packages: from every kind of source, called through the pipeline in a sandbox. */
import { execFileSync } from 'node:child_process';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  countingTarball,
  countingTool,
  openPackageCrib,
  type PackageContent,
  writePackage,
} from '../../../test/fixtures/package-crib.ts';
import { openPackageRegistry } from '../../../test/fixtures/package-registry.ts';
import { defineTool } from '../../contract/define-tool.ts';

let root: string;
const opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-packages-')));
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await rm(root, { recursive: true, force: true });
});

const open = async (config: object = {}) => {
  const crib = await openPackageCrib(root, { config });
  opened.push(crib);
  return crib;
};

const file = async (name: string, parts?: PackageContent): Promise<string> => {
  await writeFile(join(root, name), countingTarball(parts));
  return `./${name}`;
};

const installedFolders = () =>
  readdir(join(root, 'user', 'packages'), { recursive: true }).catch(() => []);
const lockText = () => readFile(join(root, 'user', 'packages.lock'), 'utf8').catch(() => '');

describe('a package from a folder', () => {
  it('is installed without its scripts, and its tool runs in the sandbox of the user', async () => {
    const crib = await open();
    const scripts = {
      prepare: `touch ${root}/ran`,
      prepack: `touch ${root}/ran`,
      install: 'exit 1',
    };
    const folder = await writePackage(join(root, 'source'), { manifest: { scripts } });
    const { package: installed, warnings } = await crib.packages.install(folder);
    expect(installed).toMatchObject({ name: 'counting', version: '1.0.0', target: 'user' });
    expect(warnings[0]).toContain('install scripts, which were not run: install, prepare');
    await expect(stat(join(root, 'ran'))).rejects.toThrow('ENOENT');
    const result = await crib.execute('count_text', { text: 'four' });
    expect(result).toMatchObject({ success: true, data: { count: 4 } });
    expect(crib.tools.get('count_text')?.tool).toMatchObject({
      source: 'package',
      sandboxed: true,
    });
    const next = await open();
    const [status] = next.sources.list();
    expect(status).toMatchObject({ name: 'counting', kind: 'package', state: 'ready', tools: 1 });
    expect((await next.execute('count_text', { text: 'four' })).success).toBe(true);
  });
});

describe('a package from git', () => {
  it('is taken at the named tag, without its scripts', async () => {
    const scripts = { prepare: `touch ${root}/ran` };
    const folder = await writePackage(join(root, 'repository'), { manifest: { scripts } });
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
        cwd: folder,
        stdio: 'ignore',
      });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('tag', 'v1');
    await writePackage(folder, { version: '2.0.0' });
    git('commit', '-qam', 'two');
    const crib = await open();
    const result = await crib.packages.install(`git+file://${folder}#v1`);
    expect(result).toMatchObject({
      version: '1.0.0',
      package: { requested: `git+file://${folder}#v1` },
    });
    await expect(stat(join(root, 'ran'))).rejects.toThrow('ENOENT');
    expect((await crib.execute('count_text', { text: 'ab' })).data).toEqual({ count: 2 });
  });
});

describe('a package from an address', () => {
  it('is fetched, and an HTTP error status is reported', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/a.tgz') response.end(countingTarball());
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    opened.push({ close: async () => void server.close() });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const crib = await open();
    await expect(crib.packages.install(`${url}/b.tgz`)).rejects.toMatchObject({ code: 'NETWORK' });
    const { package: installed } = await crib.packages.install(`${url}/a.tgz`);
    expect(installed.resolved).toBe(`${url}/a.tgz`);
    expect((await crib.execute('count_text', { text: 'abc' })).data).toEqual({ count: 3 });
  });
});

describe('a package from the registry', () => {
  it('is found by range, checked, updated with a diff, and refused when its tarball changed', async () => {
    const registry = await openPackageRegistry();
    opened.push(registry);
    const served = (version: string, code?: string) => ({
      name: 'counting',
      version,
      tarball: countingTarball({
        version,
        yaml: countingTool('count_text', { version, ...(code && { code }) }),
      }),
    });
    registry.served = [served('1.0.0'), served('2.0.0')];
    process.env.npm_config_registry = registry.url;
    try {
      const crib = await open({ registry: { lock: 'strict' } });
      const { version, package: installed } = await crib.packages.install('counting@^1');
      expect(version).toBe('1.0.0');
      expect(installed.resolved).toBe(`${registry.url}/counting/-/1.0.0.tgz`);
      await crib.tools.lock.accept(['count_text'], 'ada');
      expect((await crib.execute('count_text', { text: 'abc' })).data).toEqual({ count: 3 });

      // Another tarball under a version that was installed: versions never change.
      registry.served = [{ ...served('1.0.0', '1'), version: '1.0.0' }, served('2.0.0')];
      await expect(crib.packages.update('counting')).rejects.toThrow('versions never change');

      // The tarball is not what the registry announces.
      const wrong = `sha512-${'A'.repeat(86)}==`;
      registry.served = [served('1.0.0'), { ...served('1.1.0'), integrity: wrong }];
      await expect(crib.packages.update('counting')).rejects.toThrow(
        'not the one that the registry',
      );
      expect(crib.packages.list()).toMatchObject([{ version: '1.0.0' }]);

      registry.served = [served('1.0.0'), served('1.2.0', '7'), served('2.0.0')];
      expect(await crib.packages.checkForUpdates()).toEqual([
        {
          name: 'counting',
          target: 'user',
          current: '1.0.0',
          wanted: '1.2.0',
          latest: '2.0.0',
          isOutdated: true,
        },
      ]);
      const updated = await crib.packages.update('counting');
      expect(updated).toMatchObject({
        before: '1.0.0',
        version: '1.2.0',
        change: { changed: ['count_text'] },
      });
      expect(updated.diff).toContain('-  "version": "1.0.0"');
      // The definition is the same; the code is not, so a person has to look at it again.
      const refused = await crib.execute('count_text', { text: 'abc' });
      expect(refused.error?.code).toBe('TOOL_QUARANTINED');
      await crib.tools.lock.accept(['count_text'], 'ada');
      expect((await crib.execute('count_text', { text: 'abc' })).data).toEqual({ count: 7 });
      expect(await installedFolders()).not.toContain('counting/1.0.0');
      await expect(crib.packages.install('missing-package')).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    } finally {
      delete process.env.npm_config_registry;
    }
  }, 120_000);
});

describe('an installed package', () => {
  it('threat: is refused with the reason once one of its files was changed', async () => {
    await (await open()).packages.install(await file('a.tgz'));
    const tool = join(root, 'user', 'packages', 'counting', '1.0.0', 'tools', 'count.yml');
    await appendFile(tool, '# changed\n');
    const crib = await open();
    expect(crib.tools.has('count_text')).toBe(false);
    const [status] = crib.sources.list();
    expect(status).toMatchObject({
      state: 'failed',
      lastError: expect.stringContaining('was changed'),
    });
    await rm(tool);
    await expect(crib.sources.refresh('counting')).rejects.toThrow('not those of the lock');
    await expect(crib.sources.remove('counting')).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('runs in the sandbox of the settings, whatever its file names, and can be switched off', async () => {
    const more = 'sandbox: process';
    await (await open()).packages.install(
      await file('a.tgz', { yaml: countingTool('count_text', { more }) }),
    );
    const crib = await open({ packages: { counting: { sandbox: 'container' } } });
    expect(crib.tools.get('count_text')?.tool.sandbox?.type).toBe('container');
    expect((await open()).tools.get('count_text')?.tool.sandbox?.type).toBe('wasm');
    const off = await open({ packages: { counting: { enabled: false } } });
    expect(off.tools.has('count_text')).toBe(false);
    expect(off.sources.list()).toMatchObject([{ state: 'disabled' }]);
  });

  it('works without npm and without a network', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    try {
      const crib = await open();
      await crib.packages.install(await file('a.tgz'));
      expect((await crib.execute('count_text', { text: 'a' })).success).toBe(true);
      await expect(crib.packages.install('some-name')).rejects.toMatchObject({
        code: 'PRECONDITION_FAILED',
      });
      await crib.packages.uninstall('counting');
      expect(crib.tools.has('count_text')).toBe(false);
    } finally {
      process.env.PATH = path;
    }
    expect(await installedFolders()).toEqual([]);
  });
});

describe('tools of packages that need each other', () => {
  const draw = (range: string) =>
    countingTool('draw', { more: `dependencies: [{ tool: count_text, range: "${range}" }]` });

  it('are called only while what they need is there, and keep it from being uninstalled', async () => {
    const crib = await open();
    const drawing = await file('b.tgz', { name: 'drawing', yaml: draw('^1.0.0') });
    const { warnings, dependencies } = await crib.packages.install(drawing);
    expect(dependencies).toEqual(['count_text@^1.0.0']);
    expect(warnings).toEqual(['draw of drawing needs count_text@^1.0.0, which is not installed.']);
    expect((await crib.execute('draw', { text: 'a' })).error?.code).toBe('DEPENDENCY_MISSING');
    await crib.packages.install(await file('a.tgz'));
    expect((await crib.execute('draw', { text: 'a' })).success).toBe(true);
    await expect(crib.packages.uninstall('counting')).rejects.toThrow('draw of drawing needs');
    const newer = await file('a2.tgz', { version: '2.0.0' });
    await expect(crib.packages.install(newer)).rejects.toThrow(
      'but count_text of counting is 2.0.0',
    );
    expect(crib.packages.list().map(({ name, version }) => [name, version])).toEqual([
      ['counting', '1.0.0'],
      ['drawing', '1.0.0'],
    ]);
    await crib.packages.uninstall('drawing');
    await crib.packages.uninstall('counting');
    expect(crib.packages.list()).toEqual([]);
  });
});

describe('a packaged tool that a tool of the program needs', () => {
  it('keeps its package from being uninstalled, until that tool is gone', async () => {
    const crib = await open();
    await crib.packages.install(await file('a.tgz'));
    const input = { type: 'object' };
    const own = { name: 'own_tool', description: 'Counts.', tier: 'read_only' as const, input };
    const dependencies = [{ tool: 'count_text' }];
    crib.tools.register(defineTool({ ...own, dependencies, run: () => 1 }));
    await expect(crib.packages.uninstall('counting')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('own_tool needs count_text'),
    });
    await crib.tools.unregister('own_tool');
    await crib.packages.uninstall('counting');
    expect(crib.packages.list()).toEqual([]);
  });

  it('is asked about and updated by its own name too; its package is uninstalled by its name only', async () => {
    const crib = await open();
    await crib.packages.install(await file('a.tgz'));
    const infos = await crib.packages.checkForUpdates('count_text');
    expect(infos).toMatchObject([{ name: 'counting', current: '1.0.0' }]);
    await file('a.tgz', { version: '1.1.0' });
    const updated = await crib.packages.update('count_text');
    expect(updated).toMatchObject({ name: 'counting', before: '1.0.0', version: '1.1.0' });
    await expect(crib.packages.uninstall('count_text')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      extras: { suggestions: [expect.stringContaining('the package counting')] },
    });
  });
});

describe('what cannot be installed', () => {
  it('changes nothing: bad tools, look-alikes, a declined question, a folder without a package', async () => {
    const crib = await open();
    await crib.packages.install(await file('a.tgz'));
    const before = [await lockText(), await installedFolders()];
    const code = 'import { x } from "left-pad";\n  export const execute = () => x;';
    const yaml = countingTool('bad', {}).replace(/export const execute.*/, code);
    const bad = crib.packages.install(await file('b.tgz', { name: 'bad-tools', yaml }));
    await expect(bad).rejects.toThrow('Packages cannot be imported');
    const alike = await file('c.tgz', { name: 'countlng', yaml: countingTool('other') });
    await expect(crib.packages.install(alike)).rejects.toThrow('looks the same');
    const confirm = async () => false;
    await expect(crib.packages.install(alike, { confirm })).rejects.toMatchObject({
      code: 'USER_CANCELLED',
    });
    await expect(crib.packages.install('./none.tgz')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(crib.packages.install(alike, { target: 'project' })).rejects.toThrow('no place');
    await expect(crib.packages.install(alike, { dryRun: true } as never)).rejects.toThrow('dryRun');
    expect([await lockText(), await installedFolders()]).toEqual(before);
    const { name } = await crib.packages.install(alike, { allowLookAlike: true });
    expect(name).toBe('countlng');
  });

  it('is reported when the folder of packages cannot be written', async () => {
    await mkdir(join(root, 'user'));
    await writeFile(join(root, 'user', 'packages'), 'in the way');
    const crib = await open();
    const failure = {
      code: 'PERMISSION_DENIED',
      message: expect.stringContaining('cannot be written'),
    };
    await expect(crib.packages.install(await file('a.tgz'))).rejects.toMatchObject(failure);
    expect(await lockText()).toBe('');
  });

  it('takes another folder where a killed installation has left one, and removes that', async () => {
    const left = join(root, 'user', 'packages', 'counting', '1.0.0');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'half'), 'x');
    const crib = await open();
    await crib.packages.install(await file('a.tgz'));
    const [folder, ...others] = await readdir(join(root, 'user', 'packages', 'counting'));
    expect([folder, others]).toEqual([expect.stringMatching(/^1\.0\.0-[0-9a-f]{12}$/), []]);
    expect((await open()).sources.list()).toMatchObject([{ state: 'ready' }]);
  });

  it('two packages installed at once are both recorded', async () => {
    const [one, other] = [await open(), await open()];
    const second = await file('b.tgz', { name: 'second-one', yaml: countingTool('other') });
    await Promise.all([one.packages.install(await file('a.tgz')), other.packages.install(second)]);
    const both = await open();
    expect(both.packages.list().map(({ name }) => name)).toEqual(['counting', 'second-one']);
    expect((await installedFolders()).filter((path) => path.startsWith('.'))).toEqual([]);
  });
});
