/** One container from its making to its removal: attached before it starts, killed when it must end. */
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import type Dockerode from 'dockerode';
import type { Container, ContainerCreateOptions } from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { SandboxUsage } from '../../contract/sandbox.ts';
import type { TaskProtocol } from '../task-protocol.ts';
import { answeredInTime } from './answered-in-time.ts';
import { watchContainer } from './container-usage.ts';
import { engineFailure } from './engine-failure.ts';
import { assertRuntime } from './oci-runtime.ts';

export interface ContainerRun {
  readonly engine: Dockerode;
  readonly createOptions: ContainerCreateOptions;
  readonly protocol: TaskProtocol;
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly socketPath: string;
  /** The runtime that must run it. */
  readonly ociRuntime: string | undefined;
  /** Told once, however the run ended. */
  onUsage?: ((usage: SandboxUsage) => void) | undefined;
  /** Takes the work that goes on after the answer: the engine takes a while to remove a container. */
  afterwards(work: Promise<void>): void;
}

interface Ended {
  readonly exitCode: number;
  readonly outOfMemory: boolean;
}

/** Ends the run from outside: the first reason counts. */
class Stop {
  readonly reason: Promise<never>;
  readonly now: (failure: unknown) => void;

  constructor() {
    let now: (failure: unknown) => void = () => undefined;
    this.reason = new Promise<never>((_, reject) => {
      now = reject;
    });
    this.reason.catch(() => undefined);
    this.now = now;
  }
}

const QUERY = 'stream=1&stdin=1&stdout=1&stderr=1';

/** Makes an error of the form in which the library reports the engine's. */
const refusal = async (response: IncomingMessage): Promise<Error> => {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text = `${text}${chunk}`.slice(0, 10_000);
  return Object.assign(new Error(text), { statusCode: response.statusCode });
};

/**
 * Connects to the streams of a container. The request has no body: the library would send its options
 * as one, and Podman takes them for the first bytes of the standard input. Rejects with the status of
 * the engine's answer when it refuses.
 */
const attach = (socketPath: string, id: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const attachRequest = request({
      socketPath,
      method: 'POST',
      path: `/containers/${id}/attach?${QUERY}`,
      headers: { Connection: 'Upgrade', Upgrade: 'tcp', 'Content-Length': '0' },
    });
    attachRequest.once('upgrade', (_, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    attachRequest.once('response', (response) => void refusal(response).then(reject, reject));
    attachRequest.once('error', reject);
    attachRequest.end();
  });

interface ContainerStreams {
  begin(): void;
  /** Resolves when all output of the task has been read, or the task needs no more. */
  readonly read: Promise<void>;
}

const listen = async (
  container: Container,
  { protocol, socketPath }: ContainerRun,
  stop: Stop,
): Promise<ContainerStreams> => {
  const stream = await attach(socketPath, container.id);
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  container.modem.demuxStream(stream, streams.stdout, streams.stderr);
  const read = new Promise<void>((resolve) => {
    for (const name of ['stdout', 'stderr'] as const) {
      streams[name].on('data', (chunk: Buffer) => {
        try {
          if (protocol.take(name, chunk)) resolve();
        } catch (error) {
          stop.now(error);
        }
      });
    }
    for (const ending of ['end', 'close', 'error']) stream.once(ending, () => resolve());
  });
  return { read, begin: () => protocol.begin(stream) };
};

/** Waits for the end and for the last of the output: the engine reports an end before all output has come. */
const wait = async (container: Container, read: Promise<void>): Promise<Ended> => {
  const { StatusCode } = (await container.wait()) as { readonly StatusCode: number };
  const [{ State }] = await Promise.all([container.inspect(), read]);
  return { exitCode: StatusCode, outOfMemory: State.OOMKilled };
};

/**
 * Kills a container. Never rejects: one that has ended cannot be killed, and one that is gone cannot be
 * removed.
 */
const kill = (container: Container): Promise<void> =>
  container.kill({ signal: 'SIGKILL' }).catch(() => undefined);
const remove = (container: Container): Promise<void> =>
  container.remove({ force: true, v: true }).catch(() => undefined);

/**
 * Removes a container, also one that is made after the run was stopped. Does not wait for an engine that never
 * answers.
 */
const removeMade = (made: Promise<Container>, runtime: Runtime): Promise<void> =>
  answeredInTime(made, runtime).then(remove, () => {
    void made.then(remove, () => undefined);
  });

const live = async (
  container: Container,
  { run, stop, runtime }: { run: ContainerRun; stop: Stop; runtime: Runtime },
): Promise<Ended> => {
  if (run.ociRuntime !== undefined) await assertRuntime(container, run.ociRuntime);
  const { begin, read } = await listen(container, run, stop);
  // Written to before it starts: once it has ended, a write fails and takes unread output with it.
  begin();
  await container.start();
  const ended = wait(container, read);
  if (!run.onUsage) return ended;
  const watch = watchContainer(container, runtime);
  const tell = () => run.onUsage?.(watch.stop());
  return Promise.race([ended, stop.reason]).finally(tell);
};

/** Runs to the end and gives the exit code. Fails as the port of sandboxes says; leaves nothing. */
export const runContainer = async (run: ContainerRun, runtime: Runtime): Promise<number> => {
  const { engine, createOptions, signal } = run;
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  const stop = new Stop();
  const cancel = () => stop.now(new ToolFailure('CANCELLED'));
  signal.addEventListener('abort', cancel, { once: true });
  const timer = runtime.after(run.timeMs, () => stop.now(new ToolFailure('TIMEOUT')));
  let container: Container | undefined;
  let made: Promise<Container> | undefined;
  try {
    made = engine.createContainer(createOptions);
    container = await Promise.race([made, stop.reason]);
    const { exitCode, outOfMemory } = await Promise.race([
      live(container, { run, stop, runtime }),
      stop.reason,
    ]);
    if (!outOfMemory) return exitCode;
    throw new ToolFailure('SANDBOX_ERROR', 'The sandboxed program used more memory than it may.', {
      suggestions: ['Have it use less, or raise memoryMb.'],
    });
  } catch (error) {
    if (container !== undefined) await kill(container);
    throw engineFailure(error);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', cancel);
    if (made !== undefined) run.afterwards(removeMade(made, runtime));
  }
};
