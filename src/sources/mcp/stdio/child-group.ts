/**
 * One server process with everything it starts: in its own process group, known to the watchdog before
 * it runs its first instruction, and ended as a whole.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { killMarked, MARK_VARIABLE, type Watchdog } from './watchdog.ts';
import { windowsLaunch } from './windows-command.ts';

export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Set in the environment of the server, so that processes that left the group are found. */
  readonly mark: string;
  readonly platform: NodeJS.Platform;
  readonly watchdog: Watchdog;
  /** Passed to it on the descriptors 3, 4 and so on. */
  readonly data?: readonly Uint8Array[];
  /** The user and group that it runs as, where they differ from this process. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

const FIRST_FREE_DESCRIPTOR = 3;

/**
 * Waits for a line before it becomes the server: if the host dies between starting it and informing the
 * watchdog, the pipe closes and no server starts.
 */
export const gateAt = (descriptor: number): string =>
  `read -r go <&${descriptor} || exit 125; exec ${descriptor}<&-; exec "$@"`;

/** Returns the descriptor of the gate: the one after the data, whose descriptors the program knows. */
const gateOf = ({ data = [] }: ChildRequest): number => FIRST_FREE_DESCRIPTOR + data.length;

const start = (request: ChildRequest): ChildProcess => {
  const { command, args, env, cwd, mark, platform, data = [], identity } = request;
  const marked = { ...env, [MARK_VARIABLE]: mark };
  if (platform !== 'win32') {
    return spawn('/bin/sh', ['-c', gateAt(gateOf(request)), 'sh', command, ...args], {
      cwd,
      env: marked,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...data.map(() => 'pipe' as const), 'pipe'],
      ...identity,
    });
  }
  const { file, args: words, verbatim } = windowsLaunch(command, args, { env, exists: existsSync });
  return spawn(file, words, {
    cwd,
    env: marked,
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
};

const describeEnd = (code: number | null, signal: NodeJS.Signals | null): string => {
  if (signal !== null) return `it was ended by ${signal}`;
  if (code === 127) return 'its program was not found';
  return code === 126 ? 'its program cannot be run' : `it ended with exit code ${code}`;
};

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty.
  }
};

const killTree = (pid: number): void => {
  const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  killer.on('error', () => undefined);
};

/**
 * Waits for a promise; false when it did not settle in time. The timer keeps the process alive until servers
 * have ended.
 */
const within = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const first = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return first;
};

type Pipes = Pick<ChildProcess, 'pid'> &
  Record<'stdin', Writable> &
  Record<'stdout' | 'stderr', Readable>;

const hasPipes = (child: ChildProcess): child is ChildProcess & Pipes =>
  child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null;

export class ChildGroup {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Describes how it ended, once all its processes have. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #request: ChildRequest;
  #ending: Promise<void> | undefined = undefined;

  constructor(child: ChildProcess & Pipes, request: ChildRequest) {
    this.#child = child;
    this.#request = request;
    this.pid = child.pid as number;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    child.on('error', () => undefined);
    this.stdin.on('error', () => undefined);
    // Not `close`: its children may hold its pipes for ever.
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const settle = (): void => resolve(describeEnd(code, signal));
        this.#killRest().then(settle, settle);
      });
    });
    this.#openGate();
  }

  /** Ends the whole group, gently first. Resolves when all its processes have ended. */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs / 2);
    return this.#ending;
  }

  /** Informs the watchdog, then lets the server run. */
  #openGate(): void {
    const { watchdog, mark, data = [] } = this.#request;
    watchdog.guard(this.pid, mark);
    const pipes = [...data, 'go\n'].map((bytes, index) => {
      const pipe = this.#child.stdio[FIRST_FREE_DESCRIPTOR + index] as Writable | undefined;
      pipe?.on('error', () => undefined);
      pipe?.end(bytes);
      return pipe;
    });
    // A waiting server must not keep this process alive.
    this.#child.unref();
    for (const stream of [this.stdin, this.stdout, this.stderr, ...pipes]) {
      (stream as Partial<Socket> | undefined)?.unref?.();
    }
  }

  async #end(patience: number): Promise<void> {
    this.#child.ref();
    this.stdin.end();
    if (!(await within(this.ended, patience))) {
      this.#signal('SIGTERM');
      if (!(await within(this.ended, patience))) this.#signal('SIGKILL');
    }
    await this.ended;
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#request.platform !== 'win32') signalGroup(this.pid, signal);
    else if (signal === 'SIGKILL') killTree(this.pid);
  }

  /** Kills what the server has started, also what left the group. */
  async #killRest(): Promise<void> {
    const { platform, watchdog, mark } = this.#request;
    this.#signal('SIGKILL');
    if (platform === 'linux') await killMarked(`${MARK_VARIABLE}=${mark}`);
    watchdog.release(this.pid);
  }
}

/** Rejects when the system cannot start a process at all. */
export const startChildGroup = async (request: ChildRequest): Promise<ChildGroup> => {
  const child = start(request);
  if (hasPipes(child)) return new ChildGroup(child, request);
  const [error] = await once(child, 'error');
  throw error;
};
