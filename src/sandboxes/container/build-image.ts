/** One build: the archive goes in, the engine's log comes out, and no longer than it may take. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import type Dockerode from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { engineFailure } from './engine-failure.ts';

export interface BuildRequest {
  readonly archive: AsyncIterable<Uint8Array>;
  readonly dockerfile: string;
  readonly tag: string;
  readonly target?: string | undefined;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly noCache: boolean;
  readonly memoryMb: number;
  readonly cpus: number;
  readonly timeoutMs: number;
  onLine(line: string): void;
  readonly signal: AbortSignal;
}

export interface BuildOutcome {
  readonly success: boolean;
  readonly imageId: string;
  readonly log: string;
}

const MAX_LOG = 1_000_000;
const CPU_PERIOD = 100_000;

const optionsOf = (order: BuildRequest) => {
  const memory = order.memoryMb * 1_048_576;
  return {
    t: order.tag,
    dockerfile: order.dockerfile,
    ...(order.target !== undefined && { target: order.target }),
    buildargs: { ...order.buildArgs },
    nocache: order.noCache,
    rm: true,
    forcerm: true,
    networkmode: 'none',
    memory,
    // The same as memory: no swap on top of it.
    memswap: memory,
    cpuperiod: CPU_PERIOD,
    cpuquota: Math.round(order.cpus * CPU_PERIOD),
  };
};

interface Said {
  readonly stream?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly aux?: { readonly ID?: unknown };
}

/** Each line of the answer is an object; what is none of ours is passed over. */
class BuildLog {
  text = '';
  hasFailed = false;
  imageId = '';
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(chunk: string): void {
    const lines = `${this.#rest}${chunk}`.split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LOG);
    for (const line of lines) this.#read(line);
  }

  end(): void {
    this.#read(this.#rest);
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    let said: Said;
    try {
      said = Object(JSON.parse(line)) as Said;
    } catch {
      return;
    }
    const { stream, status, error, aux } = said;
    if (typeof aux?.ID === 'string') this.imageId = aux.ID;
    if (typeof error === 'string') this.hasFailed = true;
    const told = [stream, error, status].find((one) => typeof one === 'string');
    if (typeof told !== 'string' || told.trim() === '') return;
    // The end tells how it went: the start is what can be spared.
    this.text = `${this.text}${told.endsWith('\n') ? told : `${told}\n`}`.slice(-MAX_LOG);
    this.#onLine(told.trim());
  }
}

const idOf = async (engine: Dockerode, tag: string): Promise<string> =>
  engine
    .getImage(tag)
    .inspect()
    .then(
      ({ Id }) => Id,
      () => '',
    );

const read = async (
  engine: Dockerode,
  order: BuildRequest,
  signal: AbortSignal,
): Promise<BuildOutcome> => {
  const archive = Readable.from(order.archive, { objectMode: false });
  const broken = once(archive, 'error', { signal }).then(([error]) => Promise.reject(error));
  broken.catch(() => undefined);
  const log = new BuildLog((line) => order.onLine(line));
  const work = async (): Promise<BuildOutcome> => {
    const answer = await engine.buildImage(archive, { ...optionsOf(order), abortSignal: signal });
    answer.setEncoding('utf8');
    for await (const chunk of answer) log.take(String(chunk));
    log.end();
    const imageId = log.hasFailed ? '' : log.imageId || (await idOf(engine, order.tag));
    return { success: imageId !== '', imageId, log: log.text };
  };
  try {
    return await Promise.race([work(), broken]);
  } finally {
    archive.destroy();
  }
};

/** A Dockerfile that fails is an outcome. Fails with TIMEOUT, CANCELLED, or as the engine refused. */
export const buildImage = async (
  engine: Dockerode,
  order: BuildRequest,
  runtime: Runtime,
): Promise<BuildOutcome> => {
  if (order.signal.aborted) throw new ToolFailure('CANCELLED');
  const over = new AbortController();
  const timer = runtime.after(order.timeoutMs, () => over.abort());
  const stop = AbortSignal.any([over.signal, order.signal]);
  try {
    return await read(engine, order, stop);
  } catch (error) {
    if (over.signal.aborted) throw new ToolFailure('TIMEOUT');
    if (order.signal.aborted) throw new ToolFailure('CANCELLED');
    throw engineFailure(error);
  } finally {
    timer.cancel();
    // What is still under way ends with the call.
    over.abort();
  }
};
