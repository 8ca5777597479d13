/** One container from its making to its removal: attached before it starts, killed when it must end. */
import { PassThrough } from 'node:stream';
import type Dockerode from 'dockerode';
import type { Container, ContainerCreateOptions } from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { TaskProtocol } from '../task-protocol.ts';
import { answeredInTime } from './answered-in-time.ts';
import { attach } from './attach.ts';
import { engineFailure } from './engine-failure.ts';
import { assertRuntime } from './oci-runtime.ts';

export interface ContainerRun {
  readonly engine: Dockerode;
  readonly order: ContainerCreateOptions;
  readonly talk: TaskProtocol;
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly socketPath: string;
  /** It runs with this one or not at all. */
  readonly ociRuntime: string | undefined;
  /** Takes what is still to be done after the answer: the removal takes the engine a while. */
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

interface Line {
  begin(): void;
  /** Resolves when all that the task wrote has been read, or it has said all it has to say. */
  readonly read: Promise<void>;
}

const listen = async (
  container: Container,
  { talk, socketPath }: ContainerRun,
  stop: Stop,
): Promise<Line> => {
  const stream = await attach(socketPath, container.id);
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  container.modem.demuxStream(stream, streams.stdout, streams.stderr);
  const read = new Promise<void>((resolve) => {
    for (const name of ['stdout', 'stderr'] as const) {
      streams[name].on('data', (chunk: Buffer) => {
        try {
          if (talk.take(name, chunk)) resolve();
        } catch (error) {
          stop.now(error);
        }
      });
    }
    for (const ending of ['end', 'close', 'error']) stream.once(ending, () => resolve());
  });
  return { read, begin: () => talk.begin(stream) };
};

/** The engine tells that a container has ended before the last of its output has come. */
const wait = async (container: Container, read: Promise<void>): Promise<Ended> => {
  const { StatusCode } = (await container.wait()) as { readonly StatusCode: number };
  const [{ State }] = await Promise.all([container.inspect(), read]);
  return { exitCode: StatusCode, outOfMemory: State.OOMKilled };
};

/** A container that has ended cannot be killed, and one that is gone cannot be removed. */
const kill = (container: Container): Promise<void> =>
  container.kill({ signal: 'SIGKILL' }).catch(() => undefined);
const remove = (container: Container): Promise<void> =>
  container.remove({ force: true, v: true }).catch(() => undefined);

/** Also one that is made after the run was stopped; an engine that never says so is not waited for. */
const removeMade = (made: Promise<Container>, runtime: Runtime): Promise<void> =>
  answeredInTime(made, runtime).then(remove, () => {
    void made.then(remove, () => undefined);
  });

const live = async (container: Container, run: ContainerRun, stop: Stop): Promise<Ended> => {
  if (run.ociRuntime !== undefined) await assertRuntime(container, run.ociRuntime);
  const { begin, read } = await listen(container, run, stop);
  // Spoken to before it starts: once it has ended, a write fails and takes unread output with it.
  begin();
  await container.start();
  return wait(container, read);
};

/** Runs to the end and gives the exit code. Fails as the port of sandboxes says; leaves nothing. */
export const runContainer = async (run: ContainerRun, runtime: Runtime): Promise<number> => {
  const { engine, order, signal } = run;
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  const stop = new Stop();
  const cancel = () => stop.now(new ToolFailure('CANCELLED'));
  signal.addEventListener('abort', cancel, { once: true });
  const timer = runtime.after(run.timeMs, () => stop.now(new ToolFailure('TIMEOUT')));
  let container: Container | undefined;
  let made: Promise<Container> | undefined;
  try {
    made = engine.createContainer(order);
    container = await Promise.race([made, stop.reason]);
    const { exitCode, outOfMemory } = await Promise.race([live(container, run, stop), stop.reason]);
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
