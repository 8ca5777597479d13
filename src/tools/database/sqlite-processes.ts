/** The processes that run SQLite: one is kept for the next query, and each can be killed. */
import { createRequire } from 'node:module';
import { ToolFailure } from '../../contract/errors.ts';
import { type PooledProcess, ProcessPool } from '../../kit/work/process-pool.ts';
import { sqliteProgram } from './sqlite-program.ts';

const MAX_MEMORY_MB = 256;

/** How many queries may run at once. */
const MAX_SQLITE_PROCESSES = 4;

export interface SqliteProcessesOptions {
  /** Milliseconds after which an unused one ends. */
  readonly idleMs?: number;
}

export const openSqliteProcesses = ({ idleMs }: SqliteProcessesOptions = {}): ProcessPool =>
  new ProcessPool({
    max: MAX_SQLITE_PROCESSES,
    maxIdle: 1,
    memoryMb: MAX_MEMORY_MB,
    program: sqliteProgram,
    args: () => [createRequire(import.meta.url).resolve('@photostructure/sqlite')],
    ...(idleMs !== undefined && { idleMs }),
  });

export interface SqliteSession {
  readonly processes: ProcessPool;
  /** The signal of the call. */
  readonly signal: AbortSignal;
}

export interface SqliteRequest {
  readonly message: object;
  readonly timeoutMs: number;
  readonly maxAnswerBytes: number;
}

const broken = (): ToolFailure =>
  new ToolFailure('EXECUTION_FAILED', 'The query ended without an answer.', {
    suggestions: ['It may have used too much memory: ask for less.'],
  });

/** Sends a message and resolves with the answer line. Rejects when the process ends or writes too much. */
const exchange = (
  child: PooledProcess,
  { message, maxAnswerBytes }: SqliteRequest,
  stop: AbortSignal,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    const finish = (settle: () => void): void => {
      child.stdout.off('data', onData);
      child.off('close', onEnd);
      stop.removeEventListener('abort', onEnd);
      settle();
    };
    const onEnd = (): void => finish(() => reject(broken()));
    const onData = (piece: Buffer): void => {
      size += piece.length;
      pieces.push(piece);
      if (size > maxAnswerBytes) onEnd();
      else if (piece.at(-1) === 10) finish(() => resolve(Buffer.concat(pieces).toString('utf8')));
    };
    child.stdout.on('data', onData);
    child.once('close', onEnd);
    stop.addEventListener('abort', onEnd, { once: true });
    if (stop.aborted) onEnd();
    else child.stdin.write(`${JSON.stringify(message)}\n`);
  });

/** Errors after which a process is not used again. */
const FATAL_ERRORS = /memory|too big|swapped|malformed|disk|not watched/i;

const isSound = (answer: unknown): boolean =>
  typeof answer === 'object' &&
  answer !== null &&
  !('fault' in answer && FATAL_ERRORS.test(String(answer.fault)));

/**
 * Sends one request and returns the answer. Fails with CANCELLED, TIMEOUT or EXECUTION_FAILED, and then
 * ends the process.
 */
export const askSqlite = async (
  { processes, signal }: SqliteSession,
  request: SqliteRequest,
): Promise<unknown> => {
  const child = await processes.take(signal);
  const clock = AbortSignal.timeout(request.timeoutMs);
  try {
    const text = await exchange(child, request, AbortSignal.any([signal, clock]));
    const answer: unknown = JSON.parse(text);
    if (isSound(answer)) processes.give(child);
    else await processes.end(child);
    return answer;
  } catch (error) {
    await processes.end(child);
    if (signal.aborted) throw new ToolFailure('CANCELLED');
    if (clock.aborted) throw new ToolFailure('TIMEOUT', 'The query took too long and was stopped.');
    throw error instanceof ToolFailure ? error : broken();
  }
};
