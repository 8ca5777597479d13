import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { trustAround } from '../../test/fixtures/trust-project.ts';
import { openProject } from './open-project.ts';

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crib-project-'));
  env = { TOOLCRIB_HOME: join(folder, 'home') };
  await mkdir(join(folder, 'work', '.toolcrib'), { recursive: true });
  await mkdir(env.TOOLCRIB_HOME as string);
});

const open = (warnings: string[] = []) => {
  const log = { debug() {}, info() {}, error() {}, warn: (text: string) => warnings.push(text) };
  const options = { env, store: 'memory', builtins: false, runtime: { log } } as const;
  return openProject(join(folder, 'work'), { ...options, tools: [aTool()] });
};
const config = 'tools:\n  echo:\n    enabled: false\n';

describe('openProject', () => {
  it('reads the configuration of the user', async () => {
    await writeFile(join(folder, 'home', 'config.yml'), 'nonsense: true\n');
    await expect(open()).rejects.toThrow(/nonsense/);
  });

  it('threat: files of a folder that the user has not trusted have no effect', async () => {
    await writeFile(join(folder, 'work', '.toolcrib', 'config.yml'), config);
    const warnings: string[] = [];
    const crib = await open(warnings);
    expect((await crib.execute('echo', {})).success).toBe(true);
    expect(warnings.join()).toContain('toolcrib trust');
    await crib.close();
  });

  it.each([undefined, null, 5, {}, ''])('refuses %j as a folder', async (wrong) => {
    await expect(openProject(wrong as string)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a project that the user trusts', () => {
  const write = async (name: string, text: string): Promise<void> => {
    const file = join(folder, 'work', '.toolcrib', name);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, text);
  };
  const trust = () => trustAround({ cwd: join(folder, 'work'), env });
  const codeOf = async (tool = 'echo') => {
    const crib = await open();
    const { error } = await crib.execute(tool, {});
    await crib.close();
    return error?.code;
  };

  it('applies its configuration only once it is trusted', async () => {
    await write('config.yml', config);
    expect(await codeOf()).toBeUndefined();
    await trust();
    expect(await codeOf()).toBe('TOOL_DISABLED');
  });

  it('keeps what was trusted in force when a file changes, until that is trusted as well', async () => {
    await write('config.yml', config);
    await trust();
    await write('config.yml', `${config}    timeoutMs: 5000\n`);
    expect(await codeOf()).toBe('TOOL_DISABLED');
    await write('config.yml', '# nothing is switched off\n');
    const warnings: string[] = [];
    await (await open(warnings)).close();
    expect(warnings.join()).toContain('toolcrib trust');
    expect(await codeOf()).toBe('TOOL_DISABLED');
    await trust();
    expect(await codeOf()).toBeUndefined();
  });

  it('applies its rules only once it is trusted', async () => {
    await write('config.yml', '# mine\n');
    await write(
      'policy.yml',
      'version: 1\nrules:\n  - { name: no, effect: deny, tools: [echo] }\n',
    );
    expect(await codeOf()).toBeUndefined();
    await trust();
    expect(await codeOf()).toBe('PERMISSION_DENIED');
  });

  it('offers its own tools, which are refused as untrusted before', async () => {
    const code = 'export const execute = async () => "hello";';
    await write(
      'tools/greet.yml',
      `name: greet\ndescription: Greets.\nschema: { type: object }\nruntime: node\ncode: |\n  ${code}\n`,
    );
    expect(await codeOf('greet')).toBe('PERMISSION_DENIED');
    await trust();
    const crib = await open();
    const entry = crib.tools.get('greet');
    expect([entry?.tool.source, entry?.tool.description]).toEqual(['custom', 'Greets.']);
    await crib.close();
  });

  it('works below its own folder, whichever of its folders was opened', async () => {
    await write('config.yml', '# mine\n');
    await trust();
    const below = join(folder, 'work', 'deep');
    await mkdir(below);
    await writeFile(join(folder, 'work', 'top.txt'), 'at the top');
    const crib = await openProject(below, { env, store: 'memory' });
    const read = await crib.execute('read_file', { path: 'top.txt' });
    expect(JSON.stringify(read.data)).toContain('at the top');
    await crib.close();
  });

  it('is overridden by the variables that the program passes', async () => {
    await write('config.yml', config);
    await trust();
    env.TOOLCRIB_TOOLS__echo__ENABLED = 'true';
    expect(await codeOf()).toBeUndefined();
    env.TOOLCRIB_NONSENSE = 'x';
    await expect(open()).rejects.toThrow(/NONSENSE/);
  });
});
