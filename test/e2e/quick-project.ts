/**
 * A project whose commands run in this process, by the function that the program itself runs them with: a
 * process a command costs half a second of two cores. For tests of what commands do and print. What
 * belongs to the process (signals, terminals, pipes, the built files) is tested with `createProject`.
 */
import { EventEmitter } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createIo, type ProcessLike, runToEnd } from '../../src/cli/start-cli.ts';
import { createProject, type Ended, type Project } from './run-toolcrib.ts';

/** Remembers what was written to it, and is no terminal. */
const recorder = () => {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return { stream: stream as unknown as ProcessLike['stdout'], read: () => text };
};

/** Holds what was piped in, behind the descriptor of a file with the same text: commands ask whether it is one. */
const inputOf = (text: string, file: string): ProcessLike['stdin'] => {
  writeFileSync(file, text);
  const stream = new PassThrough();
  stream.end(text);
  return Object.assign(stream, { fd: openSync(file, 'r') }) as unknown as ProcessLike['stdin'];
};

/** No signal comes, and a command that ends the process fails the test. */
const noSignals = (): ProcessLike['signals'] =>
  Object.assign(new EventEmitter(), {
    exit: (code: unknown) => {
      throw new Error(`The command ended the process with ${code}.`);
    },
  }) as unknown as ProcessLike['signals'];

const replaceEnvironment = (env: ProcessLike['env']): void => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  // An absent variable would be set to the text "undefined".
  for (const [name, value] of Object.entries(env))
    if (value !== undefined) process.env[name] = value;
};

/** Parts that are opened deep inside read the environment themselves. A worker has its own copy of it. */
const withEnvironment = async <T>(env: ProcessLike['env'], work: () => Promise<T>): Promise<T> => {
  const before = { ...process.env };
  replaceEnvironment(env);
  try {
    return await work();
  } finally {
    replaceEnvironment(before);
  }
};

/** Ends when the command does that is running: two at once would share an environment. */
let running: Promise<unknown> = Promise.resolve();

export interface Place {
  readonly cwd: string;
  readonly env: ProcessLike['env'];
  /** What is piped in. */
  readonly input?: string | undefined;
}

/** Runs a command line as the program would in that folder and environment, one after the other. */
export const runInProcess = (args: readonly string[], place: Place): Promise<Ended> => {
  const ended = running.then(() => withEnvironment(place.env, () => runAlone(args, place)));
  running = ended.catch(() => undefined);
  return ended;
};

const runAlone = async (args: readonly string[], place: Place): Promise<Ended> => {
  const { cwd, env, input = '' } = place;
  const [stdout, stderr] = [recorder(), recorder()];
  const scratch = mkdtempSync(join(tmpdir(), 'toolcrib-input-'));
  const stdin = inputOf(input, join(scratch, 'input'));
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream };
  try {
    const io = createIo(args, { cwd, env, ...streams, signals: noSignals() });
    const code = await runToEnd(args, io);
    const [out, err] = [stdout.read(), stderr.read()];
    return { code, out, err, json: () => JSON.parse(out) };
  } finally {
    closeSync(stdin.fd);
    rmSync(scratch, { recursive: true });
  }
};

/** Like `createProject`, but only `start` and terminals have a process. */
export const createQuickProject = (): Project => {
  const project = createProject();
  return {
    ...project,
    run: (args, { env, input } = {}) =>
      runInProcess(args, { cwd: project.folder, env: { ...project.env, ...env }, input }),
  };
};
