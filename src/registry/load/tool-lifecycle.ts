/** Runs a tool's `initialize` once before its first call and its `cleanup` once at the end. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';

export interface ToolLifecycle {
  /** Nothing when there is nothing to wait for. Rejects as `initialize` does; the next call tries again. */
  initialize(): Promise<void> | undefined;
  /** Never rejects: a failure is logged. */
  cleanup(): Promise<void>;
}

const CLEANUP_MS = 10_000;
const REPLACED = 'The tool was replaced or removed while the call was on its way.';

export const createLifecycle = (tool: Tool, runtime: Runtime): ToolLifecycle => {
  let phase: 'idle' | 'initialized' | 'over' = 'idle';
  let running: Promise<void> | undefined;

  const start = async (): Promise<void> => {
    // One turn later, so that an `initialize` that throws at once finds `running` set.
    await Promise.resolve();
    try {
      await tool.initialize?.();
      if (phase === 'idle') phase = 'initialized';
    } finally {
      running = undefined;
    }
  };

  return {
    initialize() {
      if (tool.initialize === undefined || phase === 'initialized') return undefined;
      if (phase === 'over') return Promise.reject(new ToolFailure('CONFLICT', REPLACED));
      running ??= start();
      return running;
    },
    async cleanup() {
      if (phase === 'over') return;
      phase = 'over';
      await running?.catch(() => undefined);
      if (tool.cleanup) await tidy(tool, runtime);
    },
  };
};

/** A cleanup that fails or hangs is said and left behind. */
const tidy = async (tool: Tool, runtime: Runtime): Promise<void> => {
  const failed = (reason: string): void =>
    runtime.log.error('The cleanup of a tool failed', { tool: tool.name, reason });
  await new Promise<void>((done) => {
    const timer = runtime.after(CLEANUP_MS, () => {
      failed(`still running after ${CLEANUP_MS} ms`);
      done();
    });
    Promise.resolve()
      .then(() => tool.cleanup?.())
      .catch((error: unknown) => failed(reasonOf(error)))
      .finally(() => {
        timer.cancel();
        done();
      });
  });
};
