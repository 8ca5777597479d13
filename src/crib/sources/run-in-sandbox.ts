/** Runs the code of custom tools and packages in a sandbox, with the broker behind it. */
import type { Sandboxes, SandboxUsage } from '../../contract/sandbox.ts';
import { isolationSandbox } from '../../governance/isolation.ts';
import { CallContext } from '../../pipeline/broker/context.ts';
import { sandboxHost } from '../../pipeline/broker/sandbox-host.ts';
import type { RunCode } from '../../sources/custom/build-tool.ts';

export const runIn =
  (sandboxes: Sandboxes): RunCode =>
  async ({ code, name, input, context, config, model = false }) => {
    const level = context?.isolation ?? 'none';
    const sandbox = await isolationSandbox(sandboxes, level, { use: 'code', type: config.type });
    const { value } = await sandbox.run({
      task: { kind: 'code', code, name, input },
      config: { ...config, type: sandbox.type },
      signal: context?.signal ?? new AbortController().signal,
      ...(context && {
        host: sandboxHost(context, { model }),
        onUsage: (usage: SandboxUsage) => CallContext.noteUsage(context, usage),
      }),
    });
    return value;
  };
