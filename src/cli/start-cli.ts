/** Connects the command line to the process: streams, signals, broken pipes, the exit code. */
import pc from 'picocolors';
import { readEnvironment } from '../config/read-environment.ts';
import { createRuntime } from '../crib/create-runtime.ts';
import type { Environment, Io } from './io.ts';
import { runCli } from './run-cli.ts';

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/** Tells whether to use colour: on a terminal only, unless NO_COLOR or FORCE_COLOR is set. */
export const wantsColour = (
  env: Environment,
  args: readonly string[],
  stream: { readonly isTTY?: boolean },
): boolean => {
  if (isSet(env.NO_COLOR) || args.includes('--no-color')) return false;
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
};

/** How long an open handle may keep a finished program alive. */
const GRACE_MS = 2000;

/** Returns the options before `--`: what follows belongs to the tool. */
const ownOptions = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
};

/** Ignores the error of a reader that has closed the pipe (`| head`). */
const quietPipe = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
};

/**
 * The parts of a process that a program uses. Its input is opened only when needed, because that takes
 * time.
 */
export type ProcessLike = Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'env' | 'cwd' | 'signals'>;

const thisProcess = (): ProcessLike => ({
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: readEnvironment(),
  cwd: process.cwd(),
  signals: process,
});

/** Makes the `Io` that commands get, from the arguments and the process. */
export const createIo = (args: readonly string[], host: ProcessLike): Io => {
  const { stdout, stderr, env, cwd, signals } = host;
  const options = ownOptions(args);
  return {
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    env,
    cwd,
    signals,
    runtime: createRuntime(),
    json: options.includes('--json'),
    ink: pc.createColors(wantsColour(env, options, stdout)),
    noteInk: pc.createColors(wantsColour(env, options, stderr)),
    exitCode: 0,
  };
};

/** Runs a command and returns the exit code, after all telemetry has been sent. */
export const runToEnd = async (args: readonly string[], io: Io): Promise<number> => {
  const exitCode = await runCli(args, io);
  await io.telemetry?.close();
  return exitCode;
};

export const startCli = async (args: readonly string[]): Promise<void> => {
  quietPipe(process.stdout);
  quietPipe(process.stderr);
  const io = createIo(args, thisProcess());
  process.exitCode = await runToEnd(args, io);
  io.runtime.after(GRACE_MS, () => process.exit()).keepAlive(false);
};
