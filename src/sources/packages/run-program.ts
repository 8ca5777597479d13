/** Runs npm and git: without a shell, with bounded output and time, and with the variables that they need. */
import { spawn } from 'node:child_process';
import { ToolFailure } from '../../contract/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramRun {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly input?: string;
  readonly maxOutputBytes: number;
}

export interface ProgramOutput {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** The user's proxies and certificates, and what programs need to run at all. */
const KEPT =
  /^(?:path|home|userprofile|appdata|localappdata|systemroot|comspec|pathext|te?mp|tmpdir|lang|lc_.*|https?_proxy|no_proxy|all_proxy|ssl_cert_(?:file|dir)|node_extra_ca_certs|ssh_auth_sock|xdg_config_home)$/i;

/** Leaves out every variable that a program does not need, such as secrets. */
export const neededVariables = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name]) => KEPT.test(name)));

const MAX_MS = 300_000;
const MAX_ERROR_BYTES = 100_000;

const late = (): ToolFailure =>
  new ToolFailure('TIMEOUT', 'The package could not be fetched in time.', {
    suggestions: ['Try again later.'],
  });

const tooMuch = (): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', 'The package is too large to be looked through.', {
    suggestions: ['Nothing was installed. Ask the author for a smaller one.'],
  });

/** Collects what a stream gives, up to a limit; `over` is called once there is more. */
const collect = (stream: NodeJS.ReadableStream, maxBytes: number, over: () => void): Buffer[] => {
  const pieces: Buffer[] = [];
  let size = 0;
  stream.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= maxBytes) pieces.push(piece);
    else over();
  });
  return pieces;
};

/** Rejects when the program cannot be started, takes too long or prints too much. */
export const runProgram = async (run: ProgramRun): Promise<ProgramOutput> => {
  const flood = new AbortController();
  const child = spawn(run.file, [...run.args], {
    cwd: run.cwd,
    env: run.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: AbortSignal.any([run.signal, flood.signal, AbortSignal.timeout(MAX_MS)]),
  });
  const stdout = collect(child.stdout, run.maxOutputBytes, () => flood.abort());
  const stderr = collect(child.stderr, MAX_ERROR_BYTES, () => undefined);
  // A program that ended early does not read all of it; its exit code says why.
  child.stdin.on('error', () => undefined).end(run.input ?? '');
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => {
      if (flood.signal.aborted) reject(tooMuch());
      else reject(error.name === 'AbortError' ? late() : error);
    });
    child.on('close', resolve);
  });
  return { exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() };
};
