import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { createCrib } from '../../crib/create-crib.ts';
import { customToolsOf } from '../../crib/project/custom-tools.ts';
import { loadConfig } from '../../trust/load-config.ts';
import { runCli } from '../run-cli.ts';

let root: string;
let project: string;
const env = () => ({ HOME: root, TOOLCRIB_HOME: join(root, 'user') });
const place = () => ({ cwd: project, env: env() });
const TEXT = (name: string, words: string) => `name: ${name}
description: ${words}
schema: { type: object }
runtime: typescript
permissions: { riskLevel: low, autoAccept: true }
code: |
  export async function execute() {
    return { said: '${words}' };
  }
`;
const write = (name: string, text: string) =>
  writeFile(join(project, '.toolcrib', 'tools', name), text);
const trust = () => runCli(['trust', '--yes'], fakeIo({ cwd: project, env: env() }).io);

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-hot-')));
  project = join(root, 'project');
  await mkdir(join(project, '.toolcrib', 'tools'), { recursive: true });
  await write('one.yml', TEXT('one', 'first'));
  await trust();
});
afterEach(() => rm(root, { recursive: true, force: true }));

const opened = async () => {
  const { customTools } = customToolsOf(await loadConfig(place()), place());
  if (!customTools) throw new Error('no custom tools');
  return customTools;
};
const texts = (files: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));

describe('the custom tools of a project', () => {
  it('stay those that were trusted at the start when the folder changes', async () => {
    const tools = await opened();
    await write('one.yml', TEXT('one', 'second'));
    expect(texts(await tools.files())).toEqual({ 'one.yml': TEXT('one', 'first') });
  });

  it('benign: a change that was trusted is loaded', async () => {
    const tools = await opened();
    await tools.files();
    await write('two.yml', TEXT('two', 'new'));
    await trust();
    expect(Object.keys(texts(await tools.files()))).toEqual(['one.yml', 'two.yml']);
  });

  it('benign: stay the same when only the configuration changed', async () => {
    const tools = await opened();
    await tools.files();
    await writeFile(join(project, '.toolcrib', 'config.yml'), 'budget: {}');
    expect(Object.keys(texts(await tools.files()))).toEqual(['one.yml']);
  });

  it('are none when nothing is trusted or the folder is missing', async () => {
    await write('one.yml', TEXT('one', 'second'));
    expect(customToolsOf(await loadConfig(place()), place())).toEqual({});
    await rm(join(project, '.toolcrib'), { recursive: true });
    expect(customToolsOf(await loadConfig(place()), place())).toEqual({});
  });
});

describe('toolcrib policy replay', () => {
  it('judges recorded calls of custom tools by other rules', { timeout: 60_000 }, async () => {
    await writeFile(join(project, 'new.yml'), 'version: 1\n');
    const run = async (...args: readonly string[]) => {
      const fake = fakeIo({ cwd: project, env: env(), json: true });
      await runCli([...args, '--json'], fake.io);
      return JSON.parse(fake.out());
    };
    expect(await run('run', 'one', '{}', '--yes')).toMatchObject({ success: true });
    const replayed = await run('policy', 'replay', '--policy', 'new.yml');
    expect(replayed).toMatchObject({ judged: 1, notJudged: { invalid: 0 } });
  });
});

describe('threat: files of a trusted project change while it runs', () => {
  const changes: readonly [string, () => Promise<unknown>][] = [
    ['other content', () => write('one.yml', TEXT('one', 'evil'))],
    ['one more file', () => write('evil.yml', TEXT('evil', 'evil'))],
    ['a file gone', () => rm(join(project, '.toolcrib', 'tools', 'one.yml'))],
    ['a link', () => symlink('/etc/hostname', join(project, '.toolcrib', 'tools', 'l.yml'))],
    ['the folder itself', () => rename(join(project, '.toolcrib'), join(project, 'gone'))],
  ];
  it.each(changes)('hostile: %s is not taken', async (_what, change) => {
    const tools = await opened();
    await tools.files();
    await change();
    await expect(tools.files()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('the tools loaded before stay, until the change is trusted', async () => {
    const error = vi.fn();
    const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error };
    const customTools = await opened();
    const crib = await createCrib({
      root: project,
      store: 'memory',
      customTools,
      runtime: { log },
    });
    const described = () => crib.tools.get('one')?.tool.description;
    await write('one.yml', TEXT('one', 'changed'));
    await vi.waitFor(() => expect(error).toHaveBeenCalled(), { timeout: 30_000 });
    expect(JSON.stringify(error.mock.calls)).toContain('not trusted as they are now');
    expect(described()).toBe('first');
    await trust();
    await write('one.yml', TEXT('one', 'changed'));
    await vi.waitFor(() => expect(described()).toBe('changed'), { timeout: 30_000 });
    await crib.close();
  }, 90_000);
});
