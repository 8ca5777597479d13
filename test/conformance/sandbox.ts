/** The suite that every sandbox passes: what code and commands get, their limits, and that nothing gets out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxTask } from '../../src/contract/sandbox.ts';
import { describeCode } from './sandbox-code.ts';
import { describeCommands } from './sandbox-commands.ts';
import { describeEscapes } from './sandbox-escaping.ts';
import { describeHostRequests } from './sandbox-host.ts';
import { describeLimits } from './sandbox-limits.ts';
import { failureOf, type SandboxAbilities, type SandboxUnderTest } from './sandbox-under-test.ts';
import { describeUsage } from './sandbox-usage.ts';

const using = (
  name: string,
  open: () => Promise<Sandbox>,
  can: SandboxAbilities,
): SandboxUnderTest => {
  let opened: Sandbox | undefined;
  beforeAll(async () => {
    opened = await open();
  }, 60_000);
  afterAll(() => opened?.close());
  const sandbox = (): Sandbox => {
    if (opened === undefined) throw new Error('the sandbox is not open');
    return opened;
  };
  const run: SandboxUnderTest['run'] = (task, { config = {}, host, signal, onUsage } = {}) =>
    sandbox().run({
      task,
      config: { type: sandbox().type, timeLimit: 10_000, ...config },
      ...(host && { host }),
      ...(onUsage && { onUsage }),
      signal: signal ?? new AbortController().signal,
    });
  const code: SandboxUnderTest['code'] = (body, input = {}, options = {}) =>
    run(
      {
        kind: 'code',
        name: 'tool.js',
        code: `export async function run(input, context) {\n${body}\n}\n`,
        input,
      },
      options,
    );
  return { name, can, sandbox, run, code };
};

const describeLife = (test: SandboxUnderTest, open: () => Promise<Sandbox>): void => {
  it('is ready on this machine', async () => {
    expect(await test.sandbox().readiness()).toEqual({ ready: true });
  });

  it('refuses a task of the kind that it cannot run', async () => {
    const { code, command } = test.can;
    if (!code) expect((await failureOf(test.code('return 1;'))).code).toBe('SANDBOX_ERROR');
    if (!command) {
      const run = test.run({ kind: 'command', argv: ['true'] });
      expect((await failureOf(run)).code).toBe('SANDBOX_ERROR');
    }
  });

  it('is closed twice without harm, and runs nothing afterwards', async () => {
    const closed = await open();
    await closed.close();
    await closed.close();
    const task: SandboxTask = test.can.code
      ? { kind: 'code', code: 'export const run = () => 1;', input: {} }
      : { kind: 'command', argv: ['true'] };
    const { signal } = new AbortController();
    const run = closed.run({ task, config: { type: closed.type }, signal });
    expect((await failureOf(run)).code).toBe('SANDBOX_ERROR');
  });
};

/** `open` gives a sandbox of its own each time; the suite closes it. */
export const describeSandbox = (
  name: string,
  open: () => Promise<Sandbox>,
  can: SandboxAbilities,
): void => {
  describe(`${name}: sandbox`, { timeout: 60_000 }, () => {
    const test = using(name, open, can);
    describeLife(test, open);
    if (can.code) {
      describeCode(test);
      describeHostRequests(test);
    }
    describeLimits(test);
    if (can.code && can.measures) describeUsage(test);
    if (can.command) describeCommands(test);
    describeEscapes(test);
  });
};
