/** The commands about packages, on a clean project. */
import {
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { countingTarball } from '../../../../test/fixtures/package-crib.ts';
import { rawTarball } from '../../../../test/fixtures/tarballs.ts';
import { loadConfig } from '../../../trust/load-config.ts';
import { runCli } from '../../run-cli.ts';
import { addPackage } from '../add/add-package.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-packages-')));
  await mkdir(join(root, 'author'));
  await mkdir(join(root, 'clean'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

type Place = 'author' | 'clean';

const ioIn = (place: Place, args: readonly string[]) => {
  const env = { HOME: root, PATH: process.env.PATH, TOOLCRIB_HOME: join(root, `${place}-home`) };
  return fakeIo({ cwd: join(root, place), env, json: args.includes('--json') });
};

const run = async (place: Place, ...args: readonly string[]) => {
  const { io, out, err } = ioIn(place, args);
  return { code: await runCli(args, io), out: out(), err: err() };
};

const trustOf = async (place: Place) => {
  const { io } = ioIn(place, []);
  return (await loadConfig({ cwd: io.cwd, env: io.env })).trust.state;
};

describe('toolcrib install --project', () => {
  const write = (name: string, bytes = countingTarball()) =>
    writeFile(join(root, 'clean', name), bytes);

  it('keeps the project trusted, and the lock file alone is trusted', async () => {
    await write('a.tgz');
    const { code, out } = await run('clean', 'install', './a.tgz', '--project', '--yes', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { name: 'counting', package: { target: 'project' } },
    ]);
    expect(await trustOf('clean')).toBe('trusted');
    const held = await run('clean', 'run', 'count_text', '{"text":"ab"}');
    expect(held.err).toContain('TOOL_QUARANTINED');
    await run('clean', 'tools', 'accept', 'count_text', '--yes');
    expect((await run('clean', 'run', 'count_text', '{"text":"ab"}')).out).toContain('"count": 2');
    const list = await run('clean', 'packages');
    expect(list.out).toContain('project  ready');
  });

  it('threat: a cloned project brings packages: without trust they are not loaded', async () => {
    await write('a.tgz');
    await run('clean', 'install', './a.tgz', '--project', '--yes');
    await rm(join(root, 'clean-home'), { recursive: true });
    expect((await run('clean', 'packages')).out).toContain('No package is installed');
    expect((await run('clean', 'install', './a.tgz', '--project', '--yes')).code).toBe(3);
    const lock = join(root, 'clean', '.toolcrib', 'packages.lock');
    expect(await readFile(lock, 'utf8')).toContain('counting');
  });

  it('threat: the folder of packages is a link: nothing is written behind it', async () => {
    await write('a.tgz');
    await mkdir(join(root, 'elsewhere'));
    await mkdir(join(root, 'clean', '.toolcrib'));
    await symlink(join(root, 'elsewhere'), join(root, 'clean', '.toolcrib', 'packages'));
    const { code, err } = await run('clean', 'install', './a.tgz', '--project', '--yes');
    expect([code, err.includes('behind a link')]).toEqual([3, true]);
  });

  it('threat: a hostile archive writes nothing outside, and nothing inside', async () => {
    await write(
      'a.tgz',
      rawTarball([
        { path: 'package/package.json', content: '{}' },
        { path: 'package/../../../../planted', content: 'x' },
      ]),
    );
    const { code, err } = await run('clean', 'install', './a.tgz', '--yes');
    expect([code, err.includes('leads out of its folder')]).toEqual([3, true]);
    for (const path of [
      'planted',
      'clean/planted',
      'clean-home/planted',
      'clean-home/packages.lock',
    ]) {
      await expect(readFile(join(root, path))).rejects.toThrow('ENOENT');
    }
  });

  it.each([
    ['install', './a.tgz'],
    ['add', 'package', './a.tgz'],
  ])('shows tools, tiers, rules and prompt tokens with %s %s --dry-run', async (...words) => {
    await write('a.tgz');
    const { code, out, err } = await run('clean', ...words, '--dry-run');
    expect(code).toBe(0);
    expect(out).toContain('counting 1.0.0 (package)');
    expect(out).toMatch(/1 tool \(1 \w+\); \d of them ask first; ~\d+ prompt tokens/);
    expect(out).toMatch(/count_text +\w+ +\w+ +~\d+ +Counts what is in a text/);
    expect(err).toContain('Add it: toolcrib add package ./a.tgz');
    await expect(readFile(join(root, 'clean-home', 'packages.lock'))).rejects.toThrow('ENOENT');
    const { out: json } = await run('clean', ...words, '--dry-run', '--json');
    expect(JSON.parse(json)).toMatchObject({
      source: 'counting',
      kind: 'package',
      dryRun: true,
      tokens: expect.any(Number),
      tools: [{ name: 'count_text', tokens: expect.any(Number), rule: expect.any(String) }],
    });
  });

  it('asks for --yes without a terminal, and --yes does not cover a look-alike', async () => {
    await write('a.tgz');
    expect((await run('clean', 'install', './a.tgz')).err).toContain('--yes');
    await run('clean', 'install', './a.tgz', '--yes');
    await write('b.tgz', countingTarball({ name: 'countlng' }));
    const alike = await run('clean', 'install', './b.tgz', '--yes');
    expect([alike.code, alike.err.includes('--allow-look-alike')]).toEqual([3, true]);
    const { out } = await run('clean', 'install', './b.tgz', '--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({ wouldInstall: { lookAlikes: [expect.any(String)] } });
    const allowed = await run('clean', 'install', './b.tgz', '--yes', '--allow-look-alike');
    expect(allowed.code).toBe(0);
  });
});

describe('toolcrib tools pack', () => {
  it('takes only tools of the project itself', async () => {
    expect((await run('author', 'tools', 'pack', 'calculator')).err).toContain(
      'no tool of this project',
    );
  });

  it('takes the files that a tool imports, and no others', async () => {
    await run('author', 'tools', 'new', 'mine', '--ts');
    const tools = join(root, 'author', '.toolcrib', 'tools');
    await mkdir(join(tools, 'lib'));
    await writeFile(join(tools, 'lib', 'used.ts'), 'export const one = 1;\n');
    await writeFile(join(tools, 'lib', 'unused.ts'), 'export const secret = 1;\n');
    const text = await readFile(join(tools, 'mine.ts'), 'utf8');
    await writeFile(
      join(tools, 'mine.ts'),
      `import { one } from './lib/used.ts';\n${text}\nexport const used = one;\n`,
    );
    await run('author', 'trust', '--yes');
    const options = [
      '--name',
      '@acme/mine',
      '--package-version',
      '2.1.0',
      '--out',
      'x.tgz',
      '--json',
    ];
    const { out } = await run('author', 'tools', 'pack', 'mine', ...options);
    expect(JSON.parse(out)).toMatchObject({
      name: '@acme/mine',
      version: '2.1.0',
      path: join(root, 'author', 'x.tgz'),
      files: ['package.json', 'tools/lib/used.ts', 'tools/mine.ts'],
    });
    await copyFile(join(root, 'author', 'x.tgz'), join(root, 'clean', 'x.tgz'));
    expect((await run('clean', 'install', './x.tgz', '--yes')).out).toContain(
      'Installed @acme/mine 2.1.0',
    );
  });
});

describe('toolcrib add package', () => {
  it('installs like toolcrib install, and recognises only what is clearly a package', async () => {
    await writeFile(join(root, 'clean', 'a.tgz'), countingTarball());
    const { io, out } = ioIn('clean', []);
    const request = { source: './a.tgz', options: { yes: true } };
    expect([await addPackage.install(io, request), out()]).toEqual([
      0,
      expect.stringContaining('Installed counting'),
    ]);
    expect(['a.tgz', 'github:a/b', 'git+https://x/y'].every(addPackage.recognises)).toBe(true);
    expect(['a', 'https://example.com/openapi.json', './folder'].some(addPackage.recognises)).toBe(
      false,
    );
  });
});
