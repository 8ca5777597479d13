import { chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustAround } from '../../test/fixtures/trust-project.ts';
import { ConfigError } from '../config/config-error.ts';
import { defaultConfig } from '../config/schema.ts';
import { type LoadConfigOptions, loadConfig } from './load-config.ts';

let root: string;
let home: string;
let project: string;
let projectFile: string;
let userFile: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-config-'));
  home = join(root, 'home');
  project = join(home, 'work', 'app');
  projectFile = join(project, '.toolcrib', 'config.yml');
  userFile = join(home, 'xdg', 'toolcrib', 'config.yml');
  await mkdir(project, { recursive: true });
});

afterEach(() => rm(root, { recursive: true, force: true }));

const write = async (file: string, text: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

/** With the project trusted as it is. */
const load = async (env: LoadConfigOptions['env'] = {}, cwd = project) => {
  const place = { cwd, home, env: { XDG_CONFIG_HOME: join(home, 'xdg'), ...env } };
  if (!env.TOOLCRIB_CONFIG) await trustAround(place);
  return loadConfig(place);
};

/** The lines of the error, with the long paths shortened. */
const faults = async (env: LoadConfigOptions['env'] = {}, cwd = project) => {
  const error: unknown = await load(env, cwd).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  const { message, code, problems } = error as ConfigError;
  expect(code).toBe('CONFIG_INVALID');
  const [first, ...lines] = message.split('\n');
  expect(first).toBe('The configuration is not valid:');
  expect(lines).toHaveLength(problems.length);
  return lines.map((line) => line.replace(projectFile, 'PROJECT').replace(userFile, 'USER'));
};

describe('precedence', () => {
  it('gives the defaults when there is nothing', async () => {
    const loaded = await load();
    expect(loaded.config).toEqual(defaultConfig());
    expect(loaded.sources).toEqual([]);
    expect(loaded.projectDir).toBeUndefined();
    expect(loaded.provenance('execution.queueLimit')).toBe('default');
  });

  it('is environment over project over user, and says where each value comes from', async () => {
    await write(
      userFile,
      'execution:\n  maxConcurrentTools: 9\n  queueLimit: 9\n  maxCallDepth: 1\n',
    );
    await write(projectFile, 'execution:\n  maxConcurrentTools: 2\n  queueLimit: 2\n');
    const { config, sources, projectDir, provenance } = await load({
      TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS: '3',
    });
    expect(config.execution).toMatchObject({
      maxConcurrentTools: 3,
      queueLimit: 2,
      maxCallDepth: 1,
      defaultToolTimeout: 30_000,
    });
    expect(sources).toEqual([
      { path: userFile, kind: 'user' },
      { path: projectFile, kind: 'project' },
      { path: 'TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS', kind: 'environment' },
    ]);
    expect(projectDir).toBe(project);
    expect(provenance('execution.maxConcurrentTools')).toBe(
      'TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS',
    );
    expect(provenance('execution.queueLimit')).toBe(`${projectFile}:3`);
    expect(provenance('execution.maxCallDepth')).toBe(`${userFile}:4`);
    expect(provenance('execution.defaultToolTimeout')).toBe('default');
    expect(provenance('execution')).toBe(
      `TOOLCRIB_EXECUTION_MAX_CONCURRENT_TOOLS, ${projectFile}:2, ${userFile}:2`,
    );
  });

  it('merges mappings and takes lists as a whole', async () => {
    await write(
      userFile,
      'workspace: {extraRoots: [/a, /b]}\ntools:\n  web.search: {enabled: false}\n  git: {}\n',
    );
    await write(
      projectFile,
      'workspace: {extraRoots: [/b]}\ntools:\n  web.search: {timeoutMs: 5}\n',
    );
    const { config, provenance } = await load();
    expect(config.workspace.extraRoots).toEqual(['/b']);
    expect(config.tools['web.search']).toEqual({ enabled: false, timeoutMs: 5 });
    expect(config.tools.git).toEqual({});
    expect(provenance('tools.web.search.enabled')).toBe(`${userFile}:3`);
    expect(provenance('workspace.extraRoots.0')).toBe(`${projectFile}:1`);
  });

  it('does not mix two retry policies into one', async () => {
    await write(
      userFile,
      'execution: {retry: {maxRetries: 3, backoff: {type: fixed, delay: 5}}}\n',
    );
    await write(projectFile, 'execution: {retry: {maxRetries: 1, backoff: {type: none}}}\n');
    const { config, provenance } = await load();
    expect(config.execution.retry).toEqual({ maxRetries: 1, backoff: { type: 'none' } });
    expect(provenance('execution.retry.backoff')).toBe(`${projectFile}:1`);
  });

  it('takes a section of which all lines are commented out as empty', async () => {
    await write(projectFile, 'execution:\n  breaker:\n    #failures: 1\ntools:\nmodel:\n');
    expect((await load()).config).toEqual(defaultConfig());
  });

  it('lets one source hold one half and another the other half', async () => {
    await write(userFile, 'mcp: {servers: {git: {command: npx}}}\nmodel: {provider: anthropic}\n');
    await write(projectFile, 'mcp: {servers: {git: {enabled: false}}}\n');
    const { config } = await load({ TOOLCRIB_MODEL_MODEL: 'm' });
    expect(config.mcp.servers.git).toEqual({ command: 'npx', enabled: false });
    expect(config.model).toEqual({ provider: 'anthropic', model: 'm' });
  });
});

describe('where the project file is found', () => {
  it('climbs to the nearest one, .yaml too', async () => {
    await write(join(home, 'work', '.toolcrib', 'config.yaml'), 'budget: {dailyUsd: 1}\n');
    const deep = join(project, 'a', 'b');
    await mkdir(deep, { recursive: true });
    const loaded = await load({}, deep);
    expect(loaded.projectDir).toBe(join(home, 'work'));
    expect(loaded.config.budget.dailyUsd).toBe(1);
    await write(projectFile, 'budget: {}\n');
    expect((await load({}, deep)).projectDir).toBe(project);
  });

  it('stops below the home directory, and looks there only from there', async () => {
    await write(join(home, '.toolcrib', 'config.yml'), 'store: {driver: memory}\n');
    expect((await load()).projectDir).toBeUndefined();
    expect((await load({}, home)).projectDir).toBe(home);
    await write(join(root, '.toolcrib', 'config.yml'), 'store: {driver: memory}\n');
    expect((await load()).projectDir).toBeUndefined();
    await mkdir(join(root, 'elsewhere'));
    expect((await load({}, join(root, 'elsewhere'))).projectDir).toBe(root);
  });

  it('knows the home directory behind a link', async () => {
    await write(join(home, '.toolcrib', 'config.yml'), 'store: {driver: memory}\n');
    const link = join(root, 'link');
    await symlink(home, link);
    const env = { XDG_CONFIG_HOME: join(home, 'xdg') };
    expect((await loadConfig({ cwd: project, home: link, env })).projectDir).toBeUndefined();
  });

  it.skipIf(process.getuid?.() !== 0)(
    'refuses a file planted above by another user (only root can stage this)',
    async () => {
      const planted = join(home, 'work', '.toolcrib', 'config.yml');
      await write(planted, 'store: {driver: memory}\n');
      await chown(planted, 4242, 4242);
      const env = { XDG_CONFIG_HOME: join(home, 'xdg') };
      const { trust, config } = await loadConfig({ cwd: project, home, env });
      expect(trust).toMatchObject({ state: 'untrusted' });
      expect(trust.problems[0]?.message).toMatch(/^belongs to another user; set /);
      expect(config.store.driver).toBe('sqlite');
      expect(await faults()).toEqual([expect.stringMatching(/: belongs to another user; set /)]);
      const trusted = await load({ TOOLCRIB_CONFIG: planted });
      expect(trusted.config.store.driver).toBe('memory');
      await chown(project, 4242, 4242);
      expect((await load()).projectDir).toBe(join(home, 'work'));
    },
  );

  it('takes the file TOOLCRIB_CONFIG names, and needs it to exist', async () => {
    await write(projectFile, 'store: {driver: memory}\n');
    const other = join(root, 'ci.yml');
    await write(other, 'budget: {dailyUsd: 0}\n');
    const { config, projectDir, sources } = await load({ TOOLCRIB_CONFIG: '../../../ci.yml' });
    expect(config.store.driver).toBe('sqlite');
    expect(config.budget.dailyUsd).toBe(0);
    expect(projectDir).toBe(project);
    expect(sources).toEqual([{ path: other, kind: 'project' }]);
    expect(await faults({ TOOLCRIB_CONFIG: join(root, 'none.yml') })).toEqual([
      `${join(root, 'none.yml')}: does not exist, but TOOLCRIB_CONFIG names it`,
    ]);
  });

  it('takes the user file from TOOLCRIB_HOME, and reads a file named twice once', async () => {
    const own = join(root, 'own', 'config.yml');
    await write(own, 'budget: {dailyUsd: 3}\n');
    const env = { TOOLCRIB_HOME: join(root, 'own') };
    expect((await load(env)).sources).toEqual([{ path: own, kind: 'user' }]);
    const twice = await load({ ...env, TOOLCRIB_CONFIG: own });
    expect(twice.sources).toEqual([{ path: own, kind: 'project' }]);
  });
});

describe('errors', () => {
  it('name the exact position, in every file and variable, all at once', async () => {
    await write(userFile, 'budget:\n  dailyUsd: lots\nexecution:\n    maxCallDepth: 0\n');
    await write(
      projectFile,
      [
        '# a comment',
        'budget:',
        '  dailyUsd: 5',
        'tools:',
        '  read_file:   { enabled: "no" }',
        '  git:',
        '    timeOutMs: 5',
        'workspace:',
        '  extraRoots:',
        '    - ok',
        '    - 5',
        'exekution: {}',
        'mcp:',
        '  servers:',
        '    one: {}',
        '',
      ].join('\n'),
    );
    expect(
      await faults({ TOOLCRIB_STORE_DRIVER: 'redis', TOOLCRIB_VALIDATION_MAX_DEPTH: 'deep' }),
    ).toEqual([
      'PROJECT:5:27: tools.read_file.enabled: expected true or false, got text',
      'PROJECT:7:5: tools.git.timeOutMs: unknown key; did you mean timeoutMs?',
      'PROJECT:11:7: workspace.extraRoots.1: expected text, got a number',
      'PROJECT:12:1: exekution: unknown key; did you mean execution?',
      expect.stringMatching(/^PROJECT:15:10: mcp\.servers\.one: say how to reach the server/),
      'USER:2:13: budget.dailyUsd: expected a number, got text',
      'USER:4:19: execution.maxCallDepth: must be at least 1',
      'TOOLCRIB_STORE_DRIVER: store.driver: expected one of sqlite, memory',
      'TOOLCRIB_VALIDATION_MAX_DEPTH: validation.maxDepth: expected a number',
    ]);
  });

  it('blame the nearest part that is there for what is missing', async () => {
    await write(userFile, 'model:\n  provider: anthropic\n');
    expect(await faults()).toEqual(['USER:1:1: model.model: is required (text)']);
    await write(projectFile, '\n\nmcp:\n  servers:\n    one:\n      args: [a]\n');
    expect(await faults()).toEqual([
      expect.stringMatching(/^PROJECT:6:7: mcp\.servers\.one: say how to reach the server/),
      'USER:1:1: model.model: is required (text)',
    ]);
  });

  it('blame the stronger file for a conflict between two', async () => {
    await write(userFile, 'mcp: {servers: {git: {command: npx}}}\n');
    const named = join(root, 'ci.yml');
    await write(named, 'mcp:\n  servers:\n    git:\n      url: https://x.test\n');
    expect(await faults({ TOOLCRIB_CONFIG: named })).toEqual([
      expect.stringMatching(/ci\.yml:4:7: mcp\.servers\.git: has both "command" and "url"/),
    ]);
  });

  it('name a file that is no YAML, with the rest of the problems', async () => {
    await write(userFile, 'a: [1\n');
    await write(projectFile, 'nope: 1\n');
    expect(await faults()).toEqual([
      expect.stringMatching(/^PROJECT:1:1: nope: unknown key/),
      expect.stringMatching(/^USER:1:6: .*must.* end with a \]/),
    ]);
  });

  it('name two files of the same rank', async () => {
    await write(projectFile, '');
    await write(projectFile.replace('.yml', '.yaml'), '');
    expect(await faults()).toEqual([
      `${projectFile.replace('.yml', '.yaml')}: one of two files; keep one`,
      'PROJECT: one of two files; keep one',
    ]);
  });

  it('name a file that is no readable text', async () => {
    await mkdir(userFile, { recursive: true });
    expect(await faults()).toEqual(['USER: is not a regular file']);
    await rm(userFile, { recursive: true });
    await symlink(userFile, userFile);
    expect(await faults()).toEqual(['USER: cannot be read (ELOOP)']);
    await rm(userFile);
    await write(projectFile, new Uint8Array([0x61, 0x3a, 0xff, 0xfe]));
    expect(await faults()).toEqual(['PROJECT: is not UTF-8 text']);
    await write(projectFile, `# ${'x'.repeat(300_000)}`);
    expect(await faults()).toEqual(['PROJECT: is larger than 262144 bytes']);
    await rm(projectFile);
    await symlink(projectFile, projectFile);
    expect(await faults()).toEqual(['PROJECT: is a link; put what it leads to here']);
  });

  it('reads a file with a byte order mark and Windows line ends', async () => {
    await write(projectFile, '\uFEFFstore:\r\n  driver: memory\r\n  pth: x\r\n');
    expect(await faults()).toEqual(['PROJECT:3:3: store.pth: unknown key; did you mean path?']);
  });
});
