/**
 * A program that runs until it is told to end and speaks over its pipes, behind the same walls as a
 * run of the process sandbox. Whoever orders it starts and ends it; this says how, and watches.
 */
import { basename } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { SandboxConfig } from '../../contract/sandbox.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { watchPlanted } from '../planted-names.ts';
import { type RunLimits, runLimits } from '../run-limits.ts';
import { isAtOrBelow, sandboxGrants } from '../sandbox-grants.ts';
import type { Identity } from '../sandbox-identity.ts';
import { bubblewrapLaunch, type LaunchRequest, type SandboxLaunch } from './bubblewrap-launch.ts';
import type { ProcessSandboxOptions } from './create-process-sandbox.ts';
import type { Connect } from './filtering-proxy.ts';
import { openNetwork, type RunNetwork } from './open-network.ts';
import { processUsage } from './process-usage.ts';
import { behindRelay } from './relay-program.ts';
import { seatbeltLaunch } from './seatbelt-launch.ts';
import { ENVIRONMENT, limitFailure, mostProcesses } from './supervise.ts';

export interface ConfineRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** All that the program gets of them, besides those of every sandbox. */
  readonly env: Readonly<Record<string, string>>;
  /** Taken if the program can see it. */
  readonly cwd: string;
  /** Somebody chose it: then it has to be one that can be seen. */
  readonly isCwdChosen: boolean;
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hosts: readonly string[];
  readonly memoryMb?: number;
  readonly processes?: number;
}

export interface ConfineEvents {
  /** Used more than it may; told once, by whoever has to end it. */
  onLimit(failure: ToolFailure): void;
  /** What was refused to it, a line each. */
  onNote(line: string): void;
}

export interface ConfinedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Of what puts the sandbox up; that of the program comes by descriptor. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly identity?: Identity;
  /** To be read from the descriptors 3, 4 and so on. */
  readonly data: readonly Uint8Array[];
  watch(pid: number, events: ConfineEvents): void;
  /** Once nothing of it runs any more. Never rejects. */
  close(): Promise<void>;
}

/** A server runs for hours, so it is looked at less often than a run of seconds. */
const LOOK_EVERY_MS = 100;

/** Names that stand for the Node of this machine wherever it lies. */
const OF_NODE = new Set(['node', 'npm', 'npx']);

const configOf = ({ read, write, hosts, env, ...limits }: ConfineRequest): SandboxConfig => ({
  type: 'process',
  fileSystemAccess: { read, write },
  networkAccess: hosts,
  environmentVariables: env,
  resourceLimits: {
    ...(limits.memoryMb !== undefined && { memoryMb: limits.memoryMb }),
    ...(limits.processes !== undefined && { processes: limits.processes }),
  },
});

/** Never a silent step down: what cannot be given is refused. */
const wayOut = (
  { connectTo, platform }: ProcessSandboxOptions,
  hosts: readonly string[],
): Connect | undefined => {
  if (hosts.length === 0) return undefined;
  if (connectTo !== undefined && platform === 'linux') return connectTo(hosts);
  throw new ToolFailure('SANDBOX_ERROR', 'The process sandbox gives no network on this system.', {
    suggestions: ['Leave the hosts of the sandbox empty, or run the program on Linux.'],
  });
};

const launchOf = (options: ProcessSandboxOptions, request: LaunchRequest): SandboxLaunch => {
  if (options.platform === 'linux') return bubblewrapLaunch(options, request);
  if (options.platform === 'darwin') return seatbeltLaunch(options, request);
  throw new ToolFailure('SANDBOX_ERROR', 'There is no process sandbox on this system.', {
    suggestions: ['Leave the sandbox of the server out, or run it on Linux or macOS.'],
  });
};

class Watch {
  readonly #runtime: Runtime;
  readonly #limits: RunLimits;
  readonly #refusals: readonly string[];
  #told = 0;
  #timer: Timer | undefined = undefined;

  constructor(runtime: Runtime, limits: RunLimits, refusals: readonly string[]) {
    this.#runtime = runtime;
    this.#limits = limits;
    this.#refusals = refusals;
  }

  look(pid: number, events: ConfineEvents): void {
    this.#tell(events);
    const failure = limitFailure(processUsage(pid, mostProcesses(this.#limits)), this.#limits);
    if (failure === undefined) {
      this.#timer = this.#runtime.after(LOOK_EVERY_MS, () => this.look(pid, events));
      this.#timer.keepAlive(false);
    } else events.onLimit(failure);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #tell({ onNote }: ConfineEvents): void {
    for (const line of this.#refusals.slice(this.#told)) onNote(line);
    this.#told = this.#refusals.length;
  }
}

const requestOf = (
  order: ConfineRequest,
  { node, masks, platform }: ProcessSandboxOptions,
  network: RunNetwork | undefined,
): LaunchRequest => {
  const config = configOf(order);
  const { command, args, cwd, isCwdChosen } = order;
  const isSeen = sandboxGrants(config).some(({ path }) => isAtOrBelow(cwd, path));
  const argv = [command, ...args];
  const isOfNode = network !== undefined || command === node || OF_NODE.has(basename(command));
  return {
    config,
    limits: { ...runLimits(config), timeMs: Number.POSITIVE_INFINITY },
    argv: network ? behindRelay(node, argv) : argv,
    cwd: isCwdChosen || isSeen ? cwd : undefined,
    needsNode: platform === 'linux' && isOfNode,
    masks,
    ...(network && { network: network.socket }),
  };
};

/** Fails with SANDBOX_ERROR when a path, a host, a variable or a limit cannot be given. */
export const confineProgram = async (
  options: ProcessSandboxOptions,
  order: ConfineRequest,
): Promise<ConfinedProgram> => {
  const { masks, runtime, platform } = options;
  const connect = wayOut(options, order.hosts);
  const planted = watchPlanted(sandboxGrants(configOf(order)), masks, runtime.random);
  const network = connect && (await openNetwork(connect));
  try {
    const request = requestOf(order, options, network);
    const { argv, identity, data, cwd = '/' } = launchOf(options, request);
    network?.admit(identity);
    network?.unref();
    const watch = new Watch(runtime, request.limits, network?.refusals ?? []);
    const [command = '', ...args] = argv;
    return {
      ...{ command, args, cwd, data, env: ENVIRONMENT },
      ...(identity && { identity }),
      watch: (pid, events) => {
        if (platform === 'linux') watch.look(pid, events);
      },
      close: async () => {
        watch.stop();
        await network?.close().catch(() => undefined);
        try {
          planted.settle();
        } catch (error) {
          const reason = reasonOf(error);
          runtime.log.warn('A confined program left something behind', { reason });
        }
      },
    };
  } catch (error) {
    await network?.close();
    throw error;
  }
};
