/**
 * The `process` sandbox: programs, and code in a Node of its own, walled in by the operating system.
 * Bubblewrap on Linux, Seatbelt on macOS; any other system is told that there is none.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type {
  Sandbox,
  SandboxConfig,
  SandboxOutcome,
  SandboxReadiness,
  SandboxRequest,
} from '../../contract/sandbox.ts';
import type { Masks } from '../find-masked.ts';
import { OutputMeter } from '../output-meter.ts';
import { runLimits } from '../run-limits.ts';
import { taskTalk } from '../task-talk.ts';
import { bubblewrapLaunch, type LaunchRequest, type Machine } from './bubblewrap-launch.ts';
import { processReadiness } from './process-readiness.ts';
import { processUsage } from './process-usage.ts';
import { seatbeltLaunch } from './seatbelt-launch.ts';
import { startFailure } from './start-failure.ts';
import { supervise } from './supervise.ts';

export interface ProcessSandboxOptions extends Machine {
  readonly platform: NodeJS.Platform;
  readonly runtime: Runtime;
  /** Which names below a granted path stay hidden or read-only. */
  readonly masks: Masks;
}

class ProcessSandbox implements Sandbox {
  readonly type = 'process';
  readonly #options: ProcessSandboxOptions;
  readonly #closing = new AbortController();
  #ready = false;

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
  }

  /** A machine that could give it once can give it again. */
  async readiness(): Promise<SandboxReadiness> {
    if (this.#ready) return { ready: true };
    const readiness = await this.#tried();
    this.#ready = readiness.ready;
    return readiness;
  }

  #tried(): Promise<SandboxReadiness> {
    return processReadiness(this.#options, () =>
      this.run({
        task: { kind: 'command', argv: ['true'] },
        config: { type: 'process', timeLimit: 5000 },
        signal: new AbortController().signal,
      }),
    );
  }

  async run(request: SandboxRequest): Promise<SandboxOutcome> {
    const { config, task, signal } = request;
    if (this.#closing.signal.aborted) {
      throw new ToolFailure('SANDBOX_ERROR', 'The process sandbox is closed.');
    }
    assertFits(config);
    const limits = runLimits(config);
    const meter = new OutputMeter(limits.outputBytes);
    const { runtime, platform, node } = this.#options;
    const talk = taskTalk(request, { limits, meter, node, random: runtime.random });
    const exitCode = await supervise(
      {
        ...this.#launch({
          config,
          limits,
          argv: talk.argv,
          cwd: task.kind === 'command' ? task.cwd : '/tmp',
          needsNode: task.kind === 'code',
          masks: this.#options.masks,
        }),
        limits,
        signal: AbortSignal.any([signal, this.#closing.signal]),
        ...(platform === 'linux' && { usage: processUsage }),
        onOutput: talk.take,
        onStart: talk.begin,
      },
      runtime,
    );
    const failure = startFailure(exitCode, meter.stderr);
    if (failure !== undefined) throw failure;
    return talk.outcome(exitCode);
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  #launch(request: LaunchRequest) {
    const { platform } = this.#options;
    if (platform === 'linux') return bubblewrapLaunch(this.#options, request);
    if (platform === 'darwin') return seatbeltLaunch(this.#options, request);
    throw new ToolFailure('SANDBOX_ERROR', 'There is no process sandbox on this system.', {
      suggestions: ['Use the wasm or the container sandbox.'],
    });
  }
}

/** Never a silent step down: another isolation or a network is refused. */
const assertFits = ({ type, networkAccess = [] }: SandboxConfig): void => {
  if (type !== 'process') {
    throw new ToolFailure('SANDBOX_ERROR', `This sandbox is process, asked for was ${type}.`);
  }
  if (networkAccess.length === 0) return;
  throw new ToolFailure('SANDBOX_ERROR', 'The process sandbox gives no network.', {
    suggestions: ['Have code ask the context for fetch, or leave networkAccess empty.'],
  });
};

/** Opens nothing: each run starts and ends by itself, and `close` ends those that still run. */
export const createProcessSandbox = (options: ProcessSandboxOptions): Sandbox =>
  new ProcessSandbox(options);
