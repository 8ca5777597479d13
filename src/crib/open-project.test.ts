import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
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
const config = 'tools:\n  settings:\n    echo:\n      enabled: false\n';

describe('openProject', () => {
  it('reads the configuration of the user', async () => {
    await writeFile(join(folder, 'home', 'config.yml'), 'nonsense: true\n');
    await expect(open()).rejects.toThrow(/nonsense/);
  });

  it('threat: what lies in a folder that the user has not trusted is without effect', async () => {
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
