/** Runs one query on a SQLite file in a process that is killed when its time is over. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { invalidQuery } from './one-statement.ts';
import { type QueryAnswer, type QueryRequest, takeRows } from './query-request.ts';
import { sqliteProgram } from './sqlite-program.ts';

const answer = lazy(() =>
  z.union([
    z.strictObject({ fault: z.string() }),
    z.strictObject({
      names: z.array(z.string()),
      values: z.array(z.array(z.unknown())),
      changes: z.int().optional(),
      more: z.boolean(),
    }),
  ]),
);

const broken = (): ToolFailure =>
  new ToolFailure('EXECUTION_FAILED', 'The query ended without an answer.', {
    suggestions: ['It may have used too much memory: ask for less.'],
  });

/** SQLite tells its errors by words. */
const failureOf = (fault: string, mode: QueryRequest['mode']): ToolFailure => {
  if (fault === 'swapped') {
    return new ToolFailure('SECURITY_VIOLATION', 'The file was exchanged while it was opened.');
  }
  if (/not authorized|authorization denied|readonly|prohibited|access to .* denied/i.test(fault)) {
    const may = mode === 'read' ? 'Reading is all that is allowed' : 'This is not allowed';
    return new ToolFailure('PERMISSION_DENIED', `${may}: ${fault}.`, {
      suggestions:
        mode === 'read'
          ? ['Use mode "write" for a statement that changes data; a person is asked.']
          : ['Other files, extensions and settings cannot be reached from a query.'],
    });
  }
  if (/locked|busy/i.test(fault)) return new ToolFailure('LOCK', 'The database is locked.');
  if (/not a database|malformed|unable to open/i.test(fault)) {
    return new ToolFailure('EXECUTION_FAILED', 'The file is no SQLite database that can be read.');
  }
  if (/out of memory|too big/i.test(fault)) {
    return new ToolFailure('OUTPUT_TOO_LARGE', 'The query needs more memory than it may use.');
  }
  return invalidQuery(`SQLite: ${fault}`);
};

const start = (): ChildProcessWithoutNullStreams =>
  process
    .getBuiltinModule('node:child_process')
    .spawn(
      process.execPath,
      ['--max-old-space-size=256', '--no-warnings', '--input-type=module', '-e', sqliteProgram()],
      { env: {}, stdio: 'pipe', windowsHide: true },
    );

/** What the child wrote, or nothing when it was killed. */
const converse = (request: string, maxBytes: number, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = start();
    const pieces: Buffer[] = [];
    let size = 0;
    const kill = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > maxBytes) kill();
      else pieces.push(piece);
    });
    child.stderr.resume();
    child.stdin.on('error', () => undefined);
    child.once('error', reject);
    child.once('close', () => {
      signal.removeEventListener('abort', kill);
      resolve(Buffer.concat(pieces).toString('utf8'));
    });
    child.stdin.end(request);
  });

const parsed = (text: string): z.infer<ReturnType<typeof answer>> => {
  try {
    return answer().parse(JSON.parse(text));
  } catch {
    throw broken();
  }
};

/** `path` is absolute and judged; `signal` ends the query. */
export const runSqlite = async (
  path: string,
  request: QueryRequest,
  signal: AbortSignal,
): Promise<QueryAnswer> => {
  const engine = pathToFileURL(
    createRequire(import.meta.url).resolve('@photostructure/sqlite'),
  ).href;
  const clock = AbortSignal.timeout(request.timeout);
  const most = request.maxBytes * 2 + 100_000;
  const text = await converse(
    JSON.stringify({ ...request, engine, path }),
    most,
    AbortSignal.any([signal, clock]),
  );
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  if (clock.aborted) throw new ToolFailure('TIMEOUT', 'The query took too long and was stopped.');
  const said = parsed(text);
  if ('fault' in said) throw failureOf(said.fault, request.mode);
  const taken = takeRows(said.names, said.values, request);
  const { rows, truncated } = taken;
  return { ...taken, rowCount: said.changes ?? rows.length, truncated: truncated || said.more };
};
