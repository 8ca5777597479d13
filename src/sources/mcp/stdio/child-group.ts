/**
 * One server process with everything it starts: born into a process group of its own, under the eye
 * of the watchdog before it runs its first instruction, and ended as a whole.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { killMarked } from './kill-marked.ts';
import { MARK_VARIABLE, type Watchdog } from './watchdog.ts';
import { windowsLaunch } from './windows-command.ts';

export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Set in the environment of the server, so that its processes are found wherever they went. */
  readonly mark: string;
  readonly platform: NodeJS.Platform;
  readonly watchdog: Watchdog;
  /** What it can read from the descriptors 3, 4 and so on. */
  readonly data?: readonly Uint8Array[];
  /** As whom it runs, where not as this process. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

const FIRST_FREE = 3;

/**
 * Waits for the word before it becomes the server: should the host die between starting it and telling
 * the watchdog, the pipe closes and there is no server.
 */
export const gateAt = (descriptor: number): string =>
  `read -r go <&${descriptor} || exit 125; exec ${descriptor}<&-; exec "$@"`;

/** The gate comes after the data, whose descriptors are told to the program. */
const gateOf = ({ data = [] }: ChildRequest): number => FIRST_FREE + data.length;

const start = (order: ChildRequest): ChildProcess => {
  const { command, args, env, cwd, mark, platform, data = [], identity } = order;
  const marked = { ...env, [MARK_VARIABLE]: mark };
  if (platform !== 'win32') {
    return spawn('/bin/sh', ['-c', gateAt(gateOf(order)), 'sh', command, ...args], {
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
    // Nobody is left in it.
  }
};

const killTree = (pid: number): void => {
  const killer = spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' });
  killer.on('error', () => undefined);
};

/** True when the promise settled first. The timer holds the process: ending servers is work. */
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
  /** How it ended, for people, once nothing of it is left. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #order: ChildRequest;
  #ending: Promise<void> | undefined = undefined;

  constructor(child: ChildProcess & Pipes, order: ChildRequest) {
    this.#child = child;
    this.#order = order;
    this.pid = child.pid as number;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    this.stderr = child.stderr;
    child.on('error', () => undefined);
    this.stdin.on('error', () => undefined);
    // Not `close`: what it started may hold its pipes for ever.
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        const tell = (): void => resolve(describeEnd(code, signal));
        this.#sweep().then(tell, tell);
      });
    });
    this.#letGo();
  }

  /** Ends the whole group, gently first. Resolves when nothing of it is left. */
  end(graceMs: number): Promise<void> {
    this.#ending ??= this.#end(graceMs / 2);
    return this.#ending;
  }

  /** The watchdog knows first, then the server may run. */
  #letGo(): void {
    const { watchdog, mark, data = [] } = this.#order;
    watchdog.guard(this.pid, mark);
    const given = [...data, 'go\n'].map((bytes, index) => {
      const pipe = this.#child.stdio[FIRST_FREE + index] as Writable | undefined;
      pipe?.on('error', () => undefined);
      pipe?.end(bytes);
      return pipe;
    });
    // A server that waits must not hold a process that has nothing else to do.
    this.#child.unref();
    for (const stream of [this.stdin, this.stdout, this.stderr, ...given]) {
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
    if (this.#order.platform !== 'win32') signalGroup(this.pid, signal);
    else if (signal === 'SIGKILL') killTree(this.pid);
  }

  /** What the server has started ends with it, also what left the group. */
  async #sweep(): Promise<void> {
    const { platform, watchdog, mark } = this.#order;
    this.#signal('SIGKILL');
    if (platform === 'linux') await killMarked(`${MARK_VARIABLE}=${mark}`);
    watchdog.release(this.pid);
  }
}

/** Rejects when the system cannot start a process at all. */
export const startChildGroup = async (order: ChildRequest): Promise<ChildGroup> => {
  const child = start(order);
  if (hasPipes(child)) return new ChildGroup(child, order);
  const [error] = await once(child, 'error');
  throw error;
};
