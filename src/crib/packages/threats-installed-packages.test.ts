/** Packages that are installed: what is changed behind their back never runs, and can be repaired. */
import {
  appendFile,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  countingTarball,
  countingTool,
  openPackageCrib,
  type PackageContent,
} from '../../../test/fixtures/package-crib.ts';
import { readTree, treeDigest } from '../../sources/packages/package-tree.ts';

let root: string;
const opened: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-installed-')));
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  await rm(root, { recursive: true, force: true });
});

const open = async (config: object = {}, more: object = {}) => {
  const crib = await openPackageCrib(root, { config, ...more });
  opened.push(crib);
  return crib;
};

const file = async (name: string, parts?: PackageContent): Promise<string> => {
  await writeFile(join(root, name), countingTarball(parts));
  return `./${name}`;
};

const folder = () => join(root, 'user', 'packages', 'counting', '1.0.0');
const toolFile = () => join(folder(), 'tools', 'count.yml');
const lockFile = () => join(root, 'user', 'packages.lock');

describe('threats: the files of an installed package', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a changed file', () => appendFile(toolFile(), '# changed\n')],
    ['a missing file', () => rm(toolFile())],
    ['an added file', () => writeFile(join(folder(), 'tools', 'more.yml'), countingTool('more'))],
    ['no folder', () => rm(folder(), { recursive: true })],
    [
      'a file that became a link',
      async () => {
        await rename(toolFile(), join(root, 'elsewhere.yml'));
        await symlink(join(root, 'elsewhere.yml'), toolFile());
      },
    ],
  ])('with %s bring no tool, and reinstalling restores them', async (_, change) => {
    const source = await file('a.tgz');
    await (await open()).packages.install(source);
    await change();
    const crib = await open();
    expect(crib.tools.has('count_text')).toBe(false);
    const { changed, success } = await crib.packages.install(source);
    expect([changed, success]).toEqual([true, true]);
    expect((await crib.execute('count_text', { text: 'abc' })).data).toEqual({ count: 3 });
    expect((await crib.packages.install(source)).changed).toBe(false);
    expect((await open()).sources.list()).toMatchObject([{ state: 'ready', tools: 1 }]);
  });

  it('that were changed together with the lock wait for a person: the code is pinned twice', async () => {
    const lock = { registry: { lock: 'strict' as const } };
    const path = { lock: { userDir: join(root, 'user') } };
    const crib = await open(lock, path);
    await crib.packages.install(await file('a.tgz'));
    await crib.tools.lock.accept(['count_text'], 'ada');
    expect((await crib.execute('count_text', { text: 'abc' })).success).toBe(true);
    const yaml = (await readFile(toolFile(), 'utf8')).replace('input.text.length', '666');
    await writeFile(toolFile(), yaml);
    const text = await readFile(lockFile(), 'utf8');
    const digest = treeDigest(await readTree(folder()));
    await writeFile(lockFile(), text.replace(/sha256-[0-9a-f]{64}/, digest));
    await crib.sources.refresh('counting').catch(() => undefined);
    const next = await open(lock, path);
    expect(next.sources.list()).toMatchObject([{ state: 'ready' }]);
    const result = await next.execute('count_text', { text: 'abc' });
    expect(result.error?.code).toBe('TOOL_QUARANTINED');
  });
});

describe('threats: the tools of a package', () => {
  it('do not take the name of a built-in tool, and can be called by a longer name', async () => {
    const crib = await open({}, { builtins: true });
    const yaml = countingTool('calculator');
    const { success, toolName, errors } = await crib.packages.install(
      await file('a.tgz', { yaml }),
    );
    expect([success, toolName, errors]).toEqual([true, 'calculator', []]);
    expect(crib.tools.get('calculator')?.tool.source).toBe('builtin');
    expect(crib.tools.get('package:counting:calculator')?.tool.source).toBe('package');
  });
});
