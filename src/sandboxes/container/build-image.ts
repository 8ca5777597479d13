/** Builds an image: sends the archive and reads the engine's log, within a time limit. */
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

const optionsOf = (request: BuildRequest) => {
  const memory = request.memoryMb * 1_048_576;
  return {
    t: request.tag,
    dockerfile: request.dockerfile,
    ...(request.target !== undefined && { target: request.target }),
    buildargs: { ...request.buildArgs },
    nocache: request.noCache,
    rm: true,
    forcerm: true,
    networkmode: 'none',
    memory,
    // The same as memory: no swap on top of it.
    memswap: memory,
    cpuperiod: CPU_PERIOD,
    cpuquota: Math.round(request.cpus * CPU_PERIOD),
  };
};

interface BuildMessage {
  readonly stream?: unknown;
  readonly status?: unknown;
  readonly error?: unknown;
  readonly aux?: { readonly ID?: unknown };
}

/** Collects the log. Each line of the answer is a JSON object; other lines are skipped. */
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

  #read(json: string): void {
    if (json.trim() === '') return;
    let message: BuildMessage;
    try {
      message = Object(JSON.parse(json)) as BuildMessage;
    } catch {
      return;
    }
    const { stream, status, error, aux } = message;
    if (typeof aux?.ID === 'string') this.imageId = aux.ID;
    if (typeof error === 'string') this.hasFailed = true;
    const line = [stream, error, status].find((one) => typeof one === 'string');
    if (typeof line !== 'string' || line.trim() === '') return;
    // The end says how the build went, so the start is cut off.
    this.text = `${this.text}${line.endsWith('\n') ? line : `${line}\n`}`.slice(-MAX_LOG);
    this.#onLine(line.trim());
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
  request: BuildRequest,
  signal: AbortSignal,
): Promise<BuildOutcome> => {
  const archive = Readable.from(request.archive, { objectMode: false });
  const broken = once(archive, 'error', { signal }).then(([error]) => Promise.reject(error));
  broken.catch(() => undefined);
  const log = new BuildLog((line) => request.onLine(line));
  const work = async (): Promise<BuildOutcome> => {
    const answer = await engine.buildImage(archive, { ...optionsOf(request), abortSignal: signal });
    answer.setEncoding('utf8');
    for await (const chunk of answer) log.take(String(chunk));
    log.end();
    const imageId = log.hasFailed ? '' : log.imageId || (await idOf(engine, request.tag));
    return { success: imageId !== '', imageId, log: log.text };
  };
  try {
    return await Promise.race([work(), broken]);
  } finally {
    archive.destroy();
  }
};

/** Builds an image. A Dockerfile that fails is an outcome. Fails with TIMEOUT, CANCELLED, or as the engine refused. */
export const buildImage = async (
  engine: Dockerode,
  request: BuildRequest,
  runtime: Runtime,
): Promise<BuildOutcome> => {
  if (request.signal.aborted) throw new ToolFailure('CANCELLED');
  const over = new AbortController();
  const timer = runtime.after(request.timeoutMs, () => over.abort());
  const stop = AbortSignal.any([over.signal, request.signal]);
  try {
    return await read(engine, request, stop);
  } catch (error) {
    if (over.signal.aborted) throw new ToolFailure('TIMEOUT');
    if (request.signal.aborted) throw new ToolFailure('CANCELLED');
    throw engineFailure(error);
  } finally {
    timer.cancel();
    // What is still under way ends with the call.
    over.abort();
  }
};
