/**
 * Confines a program without a time limit that communicates over its pipes, such as an MCP server, like
 * a run of the process sandbox. The caller starts and ends it; this gives the command and watches it.
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
import { ENVIRONMENT, limitFailure, maxProcesses } from './supervise.ts';

export interface ConfineRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables of the program, besides those of every sandbox. */
  readonly env: Readonly<Record<string, string>>;
  /** Used if the program can see it. */
  readonly cwd: string;
  /** True when a user chose `cwd`: then it must be visible. */
  readonly isCwdChosen: boolean;
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hosts: readonly string[];
  readonly memoryMb?: number;
  readonly processes?: number;
}

export interface ConfineEvents {
  /** Called once when it used more than it may; the caller has to end it. */
  onLimit(failure: ToolFailure): void;
  /** Called with each refusal, as one line. */
  onNote(line: string): void;
}

export interface ConfinedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The environment of bubblewrap; that of the program is passed by descriptor. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly identity?: Identity;
  /** The content of the descriptors 3, 4 and so on. */
  readonly data: readonly Uint8Array[];
  watch(pid: number, events: ConfineEvents): void;
  /** Removes what the confinement needed. Call it when nothing of the program runs any more. Never rejects. */
  close(): Promise<void>;
}

/** Rarer than for a run of seconds, because a server runs for hours. */
const LOOK_EVERY_MS = 100;

/** Programs that come with the Node of this machine. */
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

/** Gives the connections to hosts. Fails when this system cannot give them: there is no silent fallback. */
const connectFor = (
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
  #reported = 0;
  #timer: Timer | undefined = undefined;

  constructor(runtime: Runtime, limits: RunLimits, refusals: readonly string[]) {
    this.#runtime = runtime;
    this.#limits = limits;
    this.#refusals = refusals;
  }

  look(pid: number, events: ConfineEvents): void {
    this.#report(events);
    const failure = limitFailure(processUsage(pid, maxProcesses(this.#limits)), this.#limits);
    if (failure === undefined) {
      this.#timer = this.#runtime.after(LOOK_EVERY_MS, () => this.look(pid, events));
      this.#timer.keepAlive(false);
    } else events.onLimit(failure);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #report({ onNote }: ConfineEvents): void {
    for (const line of this.#refusals.slice(this.#reported)) onNote(line);
    this.#reported = this.#refusals.length;
  }
}

const requestOf = (
  confineRequest: ConfineRequest,
  { node, masks, platform }: ProcessSandboxOptions,
  network: RunNetwork | undefined,
): LaunchRequest => {
  const config = configOf(confineRequest);
  const { command, args, cwd, isCwdChosen } = confineRequest;
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
  confineRequest: ConfineRequest,
): Promise<ConfinedProgram> => {
  const { masks, runtime, platform } = options;
  const connect = connectFor(options, confineRequest.hosts);
  const planted = watchPlanted(sandboxGrants(configOf(confineRequest)), masks, runtime.random);
  const network = connect && (await openNetwork(connect));
  try {
    const request = requestOf(confineRequest, options, network);
    const { argv, identity, data, cwd = '/' } = launchOf(options, request);
    network?.admit(identity);
    network?.unref();
    const watch = new Watch(runtime, request.limits, network?.refusals ?? []);
    const [command = '', ...args] = argv;
    return {
      command,
      args,
      cwd,
      data,
      env: ENVIRONMENT,
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
