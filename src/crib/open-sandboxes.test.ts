/** The settings of the configuration and what they open, on an engine that answers as Docker does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRecordedEngine, type RecordedEngine } from '../../test/fixtures/recorded-engine.ts';
import { parseConfig } from '../config/load/parse-config.ts';
import type { ConfigInput } from '../config/schema.ts';
import type { SandboxType } from '../contract/sandbox.ts';
import { createCrib } from './create-crib.ts';
import { createRuntime } from './create-runtime.ts';
import { openDockerEngine, openSandboxes, type SandboxSettings } from './open-sandboxes.ts';

let recorded: RecordedEngine;
beforeEach(async () => {
  recorded = await openRecordedEngine();
});
afterEach(() => recorded.close());

const settingsOf = (
  sandbox: NonNullable<ConfigInput['sandbox']>,
  env: SandboxSettings['env'] = {},
): SandboxSettings => ({ sandbox: parseConfig({ sandbox }).sandbox, env });
const open = (...[sandbox, env]: Parameters<typeof settingsOf>) =>
  openSandboxes(createRuntime(), settingsOf(sandbox, env));
const here = () => ({ image: 'the-image', socket: recorded.socketPath });

describe('openSandboxes', { timeout: 30_000 }, () => {
  it('reports the readiness of all five sandboxes', async () => {
    const sandboxes = open({ container: { socket: '/no/socket' } });
    const types = (await sandboxes.readiness()).map(({ type }) => type);
    await sandboxes.close();
    expect(types).toEqual(['wasm', 'process', 'container', 'vm', 'worker']);
  });

  it('getCapabilities lists only the sandboxes that this machine can give', async () => {
    const config = { sandbox: { container: { socket: '/no/socket' } } };
    const crib = await createCrib({ store: 'memory', builtins: false, watch: false, config });
    expect(crib.getCapabilities().sandboxes).toEqual(['wasm', 'worker']);
    const found = await crib.health.sandboxes();
    const ready = found.filter((each) => each.ready).map(({ type }) => type);
    expect(crib.getCapabilities().sandboxes).toEqual(ready);
    expect(ready).not.toContain('container');
    await crib.close();
  });

  it('getCapabilities right before close leaves nothing running', async () => {
    const crib = await createCrib({ store: 'memory', builtins: false, watch: false });
    crib.getCapabilities();
    await crib.close();
    expect(crib.getCapabilities().sandboxes).toEqual([]);
  });

  it('opens a container with the image and the socket that are set', async () => {
    const sandboxes = open({ container: here() });
    const sandbox = await sandboxes.get('container');
    const outcome = await sandbox.run({
      task: { kind: 'command', argv: ['echo'] },
      config: { type: 'container' },
      signal: new AbortController().signal,
    });
    expect(outcome.stdout).toBe('out\n');
    const { body } = recorded.asked.find(({ path }) => path.includes('/create')) ?? {};
    expect(body).toMatchObject({ Image: 'the-image' });
    await sandboxes.close();
  });

  it('finds the engine by DOCKER_HOST', async () => {
    const env = { DOCKER_HOST: `unix://${recorded.socketPath}` };
    const sandboxes = open({ container: { image: 'the-image' } }, env);
    expect((await sandboxes.get('container')).type).toBe('container');
    await sandboxes.close();
  });

  it.each([
    ['container', {}, 'Install and start Docker or Podman'],
    ['vm', { vm: { image: 'the-image' } }, 'Kata'],
    ['vm', { vm: { image: 'the-image', runtime: 'runsc' } }, 'gVisor'],
  ] as const)(
    'threat: %s with %j is refused, and less is not given',
    async (type, more, install) => {
      const socket = type === 'vm' ? recorded.socketPath : '/no/socket';
      const sandboxes = open({ container: { ...here(), socket }, ...more });
      await expect(sandboxes.get(type)).rejects.toMatchObject({
        code: 'SANDBOX_ERROR',
        extras: {
          suggestions: [expect.stringContaining(install), expect.stringContaining('doctor')],
        },
      });
      expect(recorded.keys()).not.toContain('POST /containers/:id/start');
      await sandboxes.close();
    },
  );

  it('measures runs unless that is switched off', async () => {
    const told: string[] = [];
    for (const measuresRuns of [true, false]) {
      const sandboxes = openSandboxes(createRuntime(), { ...settingsOf({}), measuresRuns });
      const sandbox = await sandboxes.get('worker');
      const outcome = await sandbox.run({
        task: { kind: 'code', code: 'export const run = () => 7;', input: {} },
        config: { type: 'worker' },
        signal: new AbortController().signal,
        onUsage: () => void told.push(String(measuresRuns)),
      });
      expect(outcome.value).toBe(7);
      await sandboxes.close();
    }
    expect(told).toEqual(['true']);
  });

  it('refuses an unknown sandbox', async () => {
    const sandboxes = open({});
    await expect(sandboxes.get('constructor' as SandboxType)).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
    });
  });
});

describe('openDockerEngine', () => {
  it('uses the same engine as the container sandbox, and names what is missing without one', async () => {
    const engine = await openDockerEngine(createRuntime(), settingsOf({ container: here() }));
    expect(await engine.list({ all: true, limit: 5 })).toEqual([]);
    await expect(
      openDockerEngine(createRuntime(), settingsOf({ container: { socket: '/no/socket' } })),
    ).rejects.toMatchObject({ code: 'DEPENDENCY_MISSING' });
  });
});
