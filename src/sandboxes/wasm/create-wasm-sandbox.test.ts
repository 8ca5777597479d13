import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { describeSandbox } from '../../../test/conformance/sandbox.ts';
import { failureOf } from '../../../test/conformance/sandbox-under-test.ts';
import type { Sandbox, SandboxConfig, SandboxHost, SandboxUsage } from '../../contract/sandbox.ts';
import { createWasmSandbox } from './create-wasm-sandbox.ts';

describeSandbox('wasm', async () => createWasmSandbox(), {
  code: true,
  command: false,
  bare: true,
  measures: true,
});

const opened: Sandbox[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sandbox) => sandbox.close()));
});

const open = (options?: Parameters<typeof createWasmSandbox>[0]): Sandbox => {
  const sandbox = createWasmSandbox(options);
  opened.push(sandbox);
  return sandbox;
};

interface Call {
  readonly input?: unknown;
  readonly host?: SandboxHost;
  readonly config?: Partial<SandboxConfig>;
}

const run = (sandbox: Sandbox, body: string, { input, host, config }: Call = {}) =>
  sandbox.run({
    task: { kind: 'code', code: `export const run = async (input, context) => {${body}};`, input },
    config: { type: 'wasm', ...config },
    ...(host && { host }),
    signal: new AbortController().signal,
  });

describe('wasm sandbox', () => {
  it('says what to install when the engine is missing, and runs nothing', async () => {
    const findEngine = () => {
      throw new Error('not found');
    };
    const sandbox = open({ findEngine });
    expect(await sandbox.readiness()).toMatchObject({
      ready: false,
      install: expect.stringContaining('npm install'),
    });
    const failure = await failureOf(run(sandbox, 'return 1;'));
    expect(failure.code).toBe('SANDBOX_ERROR');
    expect(failure.extras.suggestions?.join()).toContain('npm install quickjs-emscripten-core');
  });

  it('fails with a code when the engine cannot be loaded', async () => {
    const sandbox = open({
      findEngine: () => ({ core: '/none/a', variant: '/none/b', wasm: '/none/c' }),
    });
    expect((await failureOf(run(sandbox, 'return 1;'))).code).toBe('SANDBOX_ERROR');
  });

  it('refuses a request for another isolation', async () => {
    const failure = await failureOf(run(open(), 'return 1;', { config: { type: 'container' } }));
    expect(failure.code).toBe('SANDBOX_ERROR');
    expect(failure.message).toContain('container');
  });

  it.each([0, -1, Number.NaN])(
    'a time limit of %s is refused, not taken for none',
    async (timeLimit) => {
      const failure = await failureOf(run(open(), 'return 1;', { config: { timeLimit } }));
      expect(failure.code).toBe('SANDBOX_ERROR');
    },
  );

  it('refuses an input that is not plain data', async () => {
    expect((await failureOf(run(open(), 'return 1;', { input: 1n }))).code).toBe('SANDBOX_ERROR');
  });

  it('runs nested calls without a deadlock', async () => {
    const sandbox = open({ poolSize: 1 });
    const nest = (depth: number): SandboxHost => ({
      request: async () =>
        depth === 0
          ? 'bottom'
          : (await run(sandbox, 'return context.call("x", {});', { host: nest(depth - 1) })).value,
    });
    const { value } = await run(sandbox, 'return context.call("x", {});', { host: nest(5) });
    expect(value).toBe('bottom');
  });

  it('runs at most 64 at a time, and refuses the next with the reason', async () => {
    const sandbox = open({ poolSize: 1 });
    const host: SandboxHost = { request: () => sleep(20_000, undefined, { ref: false }) };
    const config = { timeLimit: 3000 };
    const runs = Array.from({ length: 65 }, () =>
      failureOf(run(sandbox, 'await context.call("x", 1);', { host, config })),
    );
    const first = await Promise.race(runs);
    expect(first).toMatchObject({ code: 'SANDBOX_ERROR', extras: { retryable: true } });
    await sandbox.close();
    const codes = (await Promise.all(runs)).map(({ code }) => code);
    expect(codes.filter((code) => code === 'SANDBOX_ERROR').length).toBeGreaterThan(0);
  });

  it('limits a flood of requests that the code does not await', async () => {
    let asked = 0;
    const host: SandboxHost = {
      request: async () => {
        asked += 1;
      },
    };
    const body =
      'let refused; for (let i = 0; i < 20000; i++) context.logger.info("x").catch((e) => { refused = e.code; });' +
      'await null; return refused;';
    expect((await run(open(), body, { host })).value).toBe('RATE_LIMITED');
    expect(asked).toBeLessThanOrEqual(1000);
  });

  it('reuses a thread, but not one whose memory grew', async () => {
    const sandbox = open({ poolSize: 1 });
    const big =
      'const all = []; for (let i = 0; i < 9; i++) all.push(new Uint8Array(1e7).fill(1)); return 1;';
    for (const body of ['return 1;', big, 'return 1;', 'return 1;']) {
      expect((await run(sandbox, body)).value).toBe(1);
    }
  });

  it.each([
    ['buffers', 'for (let i = 0; i < 60; i++) all.push(new Uint8Array(1e6).fill(1));'],
    ['small objects', 'for (let i = 0; i < 1e6; i++) all.push({ i });'],
    ['texts', 'for (let i = 0; i < 60; i++) all.push("x".repeat(1e6) + i);'],
    ['a map', 'const map = new Map(); for (let i = 0; i < 2e6; i++) map.set(i, { i });'],
    ['a set', 'const set = new Set(); for (let i = 0; i < 2e6; i++) set.add({ i });'],
  ])('threat: code that makes 60 MB of %s is stopped at a limit of 16 MB', async (_what, body) => {
    const config = { resourceLimits: { memoryMb: 16 }, timeLimit: 20_000 };
    const code = `const all = []; ${body} return all.length;`;
    expect((await failureOf(run(open(), code, { config }))).code).toBe('SANDBOX_ERROR');
  });

  it('code that throws nothing with memory to spare failed by itself', async () => {
    const failure = await failureOf(run(open(), 'throw undefined;'));
    expect(failure.code).toBe('EXECUTION_FAILED');
  });

  it('lets code have the memory that its limit names', async () => {
    const config = { resourceLimits: { memoryMb: 64 } };
    const body =
      'const all = []; for (let i = 0; i < 50; i++) all.push(new Uint8Array(1e6).fill(1)); return all.length;';
    expect((await run(open(), body, { config })).value).toBe(50);
  });

  it('tells the memory of each run, not of one before it', async () => {
    const sandbox = open({ poolSize: 1 });
    const peaks: number[] = [];
    const request = (body: string) => ({
      task: { kind: 'code' as const, code: `export const run = () => {${body}};`, input: {} },
      config: { type: 'wasm' as const },
      signal: new AbortController().signal,
      onUsage: ({ peakMemoryBytes }: SandboxUsage) => void peaks.push(peakMemoryBytes),
    });
    for (const body of ['return new Uint8Array(5e7).fill(1).length;', 'return 1;']) {
      await sandbox.run(request(body));
    }
    expect(peaks[0]).toBeGreaterThan(5e7);
    expect(peaks[1]).toBeLessThan(3e7);
  });

  it('runs as usual after prepare, and ignores prepare after close', async () => {
    const sandbox = open();
    sandbox.prepare?.();
    sandbox.prepare?.();
    expect((await run(sandbox, 'return 1;')).value).toBe(1);
    await sandbox.close();
    sandbox.prepare?.();
    expect((await failureOf(run(sandbox, 'return 1;'))).message).toContain('closed');
  });

  it('close ends running code', async () => {
    const sandbox = open();
    const running = failureOf(run(sandbox, 'for (;;) {}'));
    await sleep(100);
    await sandbox.close();
    expect((await running).code).toBe('SANDBOX_ERROR');
  });
});
