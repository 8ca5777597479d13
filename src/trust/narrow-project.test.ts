import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configFields } from '../config/document/config-fields.ts';
import type { Tree } from '../config/document/config-tree.ts';
import { configShape } from '../config/document/read-config-shape.ts';
import { ruleText } from '../config/project-rule.ts';
import { narrowProject } from './narrow-project.ts';

let projectDir: string;

beforeAll(async () => {
  projectDir = await mkdtemp(join(tmpdir(), 'toolcrib-narrow-'));
  await mkdir(join(projectDir, 'src'));
  await symlink('/', join(projectDir, 'way-out'));
  await symlink(join(projectDir, 'gone'), join(projectDir, 'dangling'));
});

afterAll(() => rm(projectDir, { recursive: true, force: true }));

const shape = configShape();

const narrow = (project: Tree, user: Tree = {}) =>
  narrowProject({ path: 'P', value: project, position: () => undefined }, user, {
    shape,
    projectDir,
  });

const nest = (path: string, value: unknown): Tree =>
  path.split('.').reduceRight<unknown>((below, key) => ({ [key]: below }), value) as Tree;

describe('a cloned repository whose configuration widens', () => {
  it.each([
    ['budget.dailyUsd', 10, 11],
    ['budget.dailyCalls', 5, 6],
    ['budget.perAgent.usd', 1, 2],
    ['approvals.expiresMinutes', 60, 61],
    ['approvals.linkBaseUrl', undefined, 'https://evil.test'],
    ['validation.maxInputBytes', 10, 11],
    ['validation.checkOutput', true, false],
    ['validation.sanitize', 'flag', 'off'],
    ['filtering.maxResultBytes', 10, 11],
    ['tools.maxExecutionTime', 10, 11],
    ['tools.shell.enabled', false, true],
    ['tools.shell.timeoutMs', 5, 6],
    ['tools.shell.rateLimit.maxPerHour', undefined, 1_000_000],
    ['tools.shell.rateLimit.maxPerDay', 5, 6],
    ['execution.loop', { identicalCalls: 5, windowSeconds: 60 }, false],
    ['execution.loop', { identicalCalls: 5, windowSeconds: 60 }, { identicalCalls: 6 }],
    ['execution.loop', { identicalCalls: 5, windowSeconds: 60 }, { windowSeconds: 59 }],
    ['execution.breaker.enabled', true, false],
    ['execution.breaker.restMs', 100, 99],
    ['execution.idempotencyHours', 24, 1],
    ['execution.maxConcurrentTools', 4, 5],
    ['policy.shadow', false, true],
    ['policy.flow', 'ask', 'off'],
    ['policy.flow', 'deny', 'ask'],
    ['sandbox.default', 'wasm', 'worker'],
    ['sandbox.default', 'wasm', 'process'],
    ['store.driver', 'sqlite', 'memory'],
    ['store.path', '.toolcrib/state.db', '../other/state.db'],
    ['store.path', '.toolcrib/state.db', 'src/state.db'],
    ['store.path', '.toolcrib/state.db', '.toolcrib/../../x.db'],
    ['workspace.root', '.', '..'],
    ['workspace.root', '.', '/'],
    ['workspace.root', 'src', '.'],
    ['workspace.root', '/srv/data', '.'],
    ['workspace.root', '/srv/data', '/srv/data/x'],
    ['workspace.root', '.', 'way-out'],
    ['workspace.root', '.', 'way-out/etc'],
    ['workspace.root', '.', 'dangling'],
    ['registry.path', '.toolcrib/tools', 'src'],
    ['registry.updateChecks', false, true],
    ['audit.retentionDays', 90, 1],
    ['audit.retentionDays', undefined, 1],
    ['secrets.sources', ['environment'], ['keychain']],
    ['secrets.file', 'secrets.json', 'other.json'],
    ['store.url', undefined, 'postgres://evil.test/audit'],
    ['store.url', 'postgres://own.test/audit', 'postgres://evil.test/audit'],
    ['store.schema', 'toolcrib', 'other'],
    ['egress.maxResponseBytes', 10, 11],
    ['model.baseUrl', undefined, 'https://evil.test'],
    ['teams.url', undefined, 'https://evil.test'],
    ['teams.enabled', false, true],
    ['teams.enabled', true, false],
    ['teams.key', undefined, 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='],
    ['teams.acceptTools', false, true],
    ['teams.secrets', [], ['GITHUB_TOKEN']],
    ['teams.features.sharedTools', true, false],
    ['mcp.enabled', false, true],
    ['mcp.servers.git.command', 'git-mcp', 'evil'],
    ['mcp.servers.git.enabled', false, true],
    ['enforcement.disableLocalTools', true, false],
    ['observation.logLevel', 'warn', 'silent'],
  ])('%s from %j to %j is not taken, and told', async (path, user, given) => {
    const base = user === undefined ? {} : nest(path, user);
    const { layer, narrowed, changes } = await narrow(nest(path, given), base);
    expect(layer.value).toEqual({});
    expect(changes).toEqual([]);
    expect(narrowed).toEqual([
      {
        path,
        origin: 'P',
        message: expect.stringMatching(/^(a project can|only|you) .*yours stays$/),
      },
    ]);
  });

  it('counts the defaults as the user’s', async () => {
    const { layer, narrowed } = await narrow({
      budget: { dailyUsd: 1e9 },
      policy: { shadow: true },
    });
    expect(layer.value).toEqual({});
    expect(narrowed.map(({ path }) => path)).toEqual(['budget.dailyUsd', 'policy.shadow']);
  });

  it.each([
    ['workspace.extraRoots', ['/a', '/b'], ['/b', '/etc']],
    ['egress.allowPrivate', ['/a', '/b'], ['169.254.169.254', '/b']],
    ['commands.allow', ['/a', '/b'], ['/b', 'rm -rf /']],
  ])('%s gains no entry', async (path, user, given) => {
    const { layer, narrowed } = await narrow(nest(path, given), nest(path, user));
    expect(layer.value).toEqual(nest(path, ['/b']));
    expect(narrowed).toHaveLength(1);
  });

  it('cannot take redacted keys or enforced tools away, and enforces none itself', async () => {
    const user = { filtering: { redactKeys: ['pin'] }, enforcement: { enforcedTools: ['audit'] } };
    const project = {
      filtering: { redactKeys: [] },
      enforcement: { enforcedTools: ['lint'] },
      tools: { audit: { enabled: false }, other: { enabled: false } },
    };
    const { layer, narrowed } = await narrow(project, user);
    expect(layer.value).toEqual({
      filtering: { redactKeys: ['pin'] },
      tools: { other: { enabled: false } },
    });
    expect(narrowed.map(({ path }) => path).toSorted()).toEqual([
      'enforcement.enforcedTools',
      'tools.audit.enabled',
    ]);
  });

  it('cannot lend variables or arguments to a server of the user', async () => {
    const user = { mcp: { servers: { git: { command: 'git-mcp' } } } };
    const server = {
      args: ['--upload-pack=evil'],
      env: { NODE_OPTIONS: '-r evil' },
      enabled: false,
    };
    const { layer, narrowed } = await narrow({ mcp: { servers: { git: server } } }, user);
    expect(layer.value).toEqual({ mcp: { servers: { git: { enabled: false } } } });
    expect(narrowed.map(({ path }) => path)).toEqual([
      'mcp.servers.git.args',
      'mcp.servers.git.env.NODE_OPTIONS',
    ]);
  });

  it('cannot raise one limit of a tool by lowering another', async () => {
    const user = { budget: { perTool: { git: { usd: 1, calls: 5 } } } };
    const project = { budget: { perTool: { git: { usd: 9, calls: 2, tokens: 7 } } } };
    const { layer, narrowed } = await narrow(project, user);
    expect(layer.value).toEqual({
      budget: { perTool: { git: { usd: 1, calls: 2, tokens: 7 } } },
    });
    expect(narrowed).toMatchObject([{ path: 'budget.perTool.git' }]);
  });

  it('never says a value', async () => {
    const { narrowed } = await narrow({
      model: { apiKeyRef: 'hunter2', baseUrl: 'https://hunter2' },
    });
    expect(narrowed).toHaveLength(2);
    expect(JSON.stringify(narrowed)).not.toContain('hunter2');
  });
});

describe('a project that narrows', () => {
  it.each([
    ['budget.dailyUsd', 10, 0],
    ['budget.dailyCalls', undefined, 6],
    ['budget.perSession.tokens', undefined, 6],
    ['tools.shell.enabled', undefined, false],
    ['tools.shell.timeoutMs', undefined, 5],
    ['tools.shell.rateLimit.maxPerDay', 5, 4],
    ['execution.loop', false, { identicalCalls: 3, windowSeconds: 60 }],
    ['execution.defaultToolTimeout', 10, 20],
    ['execution.retry', 'NONE', 'QUICK'],
    ['policy.shadow', true, false],
    ['policy.flow', 'off', 'deny'],
    ['sandbox.default', 'worker', 'wasm'],
    ['store.driver', 'memory', 'sqlite'],
    ['store.path', '.toolcrib/state.db', '.toolcrib/data/other.db'],
    ['workspace.root', '.', 'src'],
    ['workspace.root', 'src', './src'],
    ['workspace.root', 'src', 'src/deeper'],
    ['workspace.root', '.', './src/not-there-yet'],
    ['registry.path', '.toolcrib/tools', '.toolcrib/tools/ours'],
    ['audit.retentionDays', 90, 91],
    ['mcp.servers.new.command', undefined, 'npx'],
    ['mcp.servers.new.enabled', undefined, true],
    ['mcp.enabled', true, false],
    ['enforcement.disableLocalTools', false, true],
    ['workspace.extraRoots', ['/a'], []],
    ['observation.logLevel', 'warn', 'debug'],
    ['datetime.zone', 'UTC', 'Europe/Vienna'],
  ])('%s from %j to %j is taken, and listed', async (path, user, given) => {
    const base = user === undefined ? {} : nest(path, user);
    const { layer, narrowed, changes } = await narrow(nest(path, given), base);
    expect(narrowed).toEqual([]);
    expect(layer.value).toEqual(nest(path, given));
    expect(changes).toMatchObject([{ path, to: given, meaning: expect.stringMatching(/\.$/) }]);
  });

  it('says nothing of what is as it was', async () => {
    const same = { secrets: { file: 'mine.json' }, store: { driver: 'memory' } };
    expect(await narrow(same, same)).toMatchObject({ narrowed: [], changes: [] });
  });

  it('takes dollars and several limits of a tool for one another', async () => {
    const limit = async (given: unknown, user: unknown) =>
      (await narrow(nest('budget.perTool.git', given), nest('budget.perTool.git', user))).layer
        .value;
    expect(await limit(1, { usd: 2, calls: 3 })).toEqual(
      nest('budget.perTool.git', { usd: 1, calls: 3 }),
    );
    expect(await limit({ usd: 1 }, 2)).toEqual(nest('budget.perTool.git', { usd: 1 }));
    expect(await limit(1, null)).toEqual(nest('budget.perTool.git', { usd: 1 }));
  });

  it('keeps the part of the loop breaker that it does not name', async () => {
    const user = { execution: { loop: { identicalCalls: 5, windowSeconds: 600 } } };
    const { layer } = await narrow({ execution: { loop: { identicalCalls: 3 } } }, user);
    expect(layer.value).toEqual({ execution: { loop: { identicalCalls: 3, windowSeconds: 600 } } });
  });

  it('keeps its list of rules apart from the user’s', async () => {
    const { layer, narrowed } = await narrow({ policy: { files: ['theirs.yml'] } });
    expect([layer.value, narrowed]).toEqual([{}, []]);
  });

  it('leaves mistakes to the schema', async () => {
    const wrong = { nope: 1, budget: 5, tools: { git: {} }, filtering: { redactKeys: 'x' } };
    const { layer } = await narrow(wrong);
    expect(layer.value).toMatchObject({ nope: 1, budget: 5, tools: { git: {} } });
  });
});

describe('the rules', () => {
  it('are defined for every setting', () => {
    for (const { path, shape } of configFields())
      expect(shape.project, path.join('.')).toBeDefined();
  });

  it('are described in words, and a setting without a rule is the user’s', () => {
    for (const { shape } of configFields()) expect(ruleText(shape.project)).toMatch(/^[a-z]/);
    expect(ruleText(undefined)).toBe('cannot set it');
  });

  it('are the user’s alone for a setting without a rule', async () => {
    const bare = {
      type: 'object',
      properties: { secret: { type: 'string' }, other: { project: 'free' as const } },
    };
    const layer = { path: 'P', value: { secret: 'x', other: 1 }, position: () => undefined };
    const { narrowed, layer: kept } = await narrowProject(layer, {}, { shape: bare, projectDir });
    expect([kept.value, narrowed]).toMatchObject([{ other: 1 }, [{ path: 'secret' }]]);
  });
});
