/**
 * The `process` sandbox: programs, and code in a Node of its own, confined by the operating system:
 * bubblewrap on Linux, Seatbelt on macOS. On other systems it fails.
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
import { assertType } from '../assert-type.ts';
import type { Masks } from '../find-masked.ts';
import { OutputMeter } from '../output-meter.ts';
import { watchPlanted } from '../planted-names.ts';
import { runLimits } from '../run-limits.ts';
import { sandboxGrants } from '../sandbox-grants.ts';
import { taskProtocol } from '../task-protocol.ts';
import { bubblewrapLaunch, type LaunchRequest, type Machine } from './bubblewrap-launch.ts';
import type { Connect } from './filtering-proxy.ts';
import { openNetwork, type RunNetwork } from './open-network.ts';
import type { PackagedProgram } from './packaged-program.ts';
import { processReadiness, startFailure } from './process-readiness.ts';
import { processUsage } from './process-usage.ts';
import { behindRelay } from './relay-program.ts';
import { seatbeltLaunch } from './seatbelt-launch.ts';
import { supervise } from './supervise.ts';

export interface ProcessSandboxOptions extends Machine {
  readonly platform: NodeJS.Platform;
  readonly runtime: Runtime;
  /** Which names below a granted path stay hidden or read-only. */
  readonly masks: Masks;
  /** Makes the checked connections to hosts of these patterns; without it there is no network. */
  readonly connectTo?: (hosts: readonly string[]) => Connect;
  /** Finds programs that are no part of the system. */
  readonly packaged?: (name: string) => PackagedProgram | undefined;
}

class ProcessSandbox implements Sandbox {
  readonly type = 'process';
  readonly #options: ProcessSandboxOptions;
  readonly #closing = new AbortController();
  #ready = false;

  constructor(options: ProcessSandboxOptions) {
    this.#options = options;
  }

  /** Tries it once: a machine that could give it can give it again. */
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
    const { config } = request;
    if (this.#closing.signal.aborted) {
      throw new ToolFailure('SANDBOX_ERROR', 'The process sandbox is closed.');
    }
    const connect = this.#connectFor(config);
    const { runtime } = this.#options;
    const masks = this.#masksFor(request);
    const watch = watchPlanted(sandboxGrants(config), masks, runtime.random);
    const network = connect && (await openNetwork(connect));
    try {
      const outcome = await this.#supervised(request, network);
      return network === undefined ? outcome : withRefusals(outcome, network.refusals);
    } finally {
      await network?.close();
      // After a failure, too: the files that a program made stay, however it ended.
      watch.settle();
    }
  }

  async #supervised(
    request: SandboxRequest,
    network: RunNetwork | undefined,
  ): Promise<SandboxOutcome> {
    const { config, task, signal } = request;
    const limits = runLimits(config);
    const meter = new OutputMeter(limits.outputBytes);
    const { runtime, platform, node } = this.#options;
    const protocol = taskProtocol(request, { limits, meter, node, random: runtime.random });
    const { argv, packages } = this.#programOf(protocol.argv);
    const launch = this.#launch({
      config,
      limits,
      argv: network ? behindRelay(node, argv) : argv,
      cwd: task.kind === 'command' ? task.cwd : '/tmp',
      needsNode: task.kind === 'code' || network !== undefined || packages !== undefined,
      masks: this.#masksFor(request),
      ...(request.repository && { info: request.repository.info }),
      ...(network && { network: network.socket }),
      ...(packages && { packages }),
    });
    network?.admit(launch.identity);
    const supervised = supervise(
      {
        ...launch,
        limits,
        signal: AbortSignal.any([signal, this.#closing.signal]),
        ...(platform === 'linux' && { usage: processUsage }),
        onUsage: request.onUsage,
        onOutput: protocol.take,
        onStart: protocol.begin,
      },
      runtime,
    );
    const exitCode = await supervised.catch((error: unknown) => {
      throw task.kind === 'command' ? withOutput(error, meter) : error;
    });
    const failure = startFailure(exitCode, meter.stderr);
    if (failure !== undefined) throw failure;
    return protocol.outcome(exitCode);
  }

  /** Hides less where only git runs, because its output is kept free of secrets. */
  #masksFor({ repository }: SandboxRequest): Masks {
    const { masks, platform } = this.#options;
    return repository?.gitAlone && platform === 'linux' ? (masks.git ?? masks) : masks;
  }

  /** Returns the program to start: a packaged one is a script, which Node runs. */
  #programOf(argv: readonly string[]) {
    const { packaged, node, platform } = this.#options;
    const [name = '', ...args] = argv;
    const program = platform === 'linux' ? packaged?.(name) : undefined;
    return program
      ? { argv: [node, program.script, ...args], packages: program.folders }
      : { argv };
  }

  /** Gives the connections to hosts, if any. Fails when it cannot: there is no silent fallback. */
  #connectFor(config: SandboxConfig): Connect | undefined {
    assertType('process', config);
    const { networkAccess = [] } = config;
    if (networkAccess.length === 0) return undefined;
    const { connectTo, platform } = this.#options;
    if (connectTo !== undefined && platform === 'linux') return connectTo(networkAccess);
    throw new ToolFailure('SANDBOX_ERROR', 'The process sandbox gives no network.', {
      suggestions: ['Have code ask the context for fetch, or leave networkAccess empty.'],
    });
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

/** Characters that fit into a message. */
const MAX_SHOWN_OUTPUT = 1_500;

/** Adds the end of a program's output to its TIMEOUT. */
const withOutput = (error: unknown, { stdout, stderr }: OutputMeter): unknown => {
  if (!(error instanceof ToolFailure) || error.code !== 'TIMEOUT') return error;
  const printed = [stdout, stderr].map((text) => text.trim()).filter((text) => text !== '');
  const last = printed.join('\n').slice(-MAX_SHOWN_OUTPUT);
  const said = last === '' ? 'It had printed nothing.' : `It had printed, at the end:\n${last}`;
  return new ToolFailure('TIMEOUT', `The program was stopped when its time was over. ${said}`, {
    suggestions: ['Give it more time, or less to do.'],
  });
};

/** Adds the proxy's refusals to the output, because programs seldom print them. */
const withRefusals = (outcome: SandboxOutcome, refusals: readonly string[]): SandboxOutcome =>
  refusals.length === 0
    ? outcome
    : { ...outcome, stderr: `${outcome.stderr}${refusals.map((line) => `${line}\n`).join('')}` };

/** Opens nothing: each run starts and ends by itself, and `close` ends those that still run. */
export const createProcessSandbox = (options: ProcessSandboxOptions): Sandbox =>
  new ProcessSandbox(options);
