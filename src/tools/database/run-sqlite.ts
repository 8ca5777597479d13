/** Runs one query on a SQLite file in a process that is killed when its time is up. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { databaseBusy } from './database-busy.ts';
import { assertNoNames, invalidParams, invalidQuery } from './one-statement.ts';
import { type QueryAnswer, type QueryRequest, takeRows } from './query-request.ts';
import { askSqlite, type SqliteSession } from './sqlite-processes.ts';
import { inCopyFolder, keepCopy, MAX_KEPT_BYTES, undoReport } from './sqlite-undo.ts';

const answer = lazy(() =>
  z.union([
    z.strictObject({ fault: z.string() }),
    z.strictObject({
      names: z.array(z.string()),
      values: z.array(z.array(z.unknown())),
      changes: z.int().optional(),
      more: z.boolean(),
      undo: undoReport().optional(),
    }),
  ]),
);

/** Maps an error of SQLite to a code of the table, by its message. */
const failureOf = (fault: string, mode: QueryRequest['mode']): ToolFailure => {
  if (fault.startsWith('swapped')) {
    return new ToolFailure('SECURITY_VIOLATION', 'The file was exchanged while it was opened.');
  }
  if (fault === 'too few values') {
    return invalidParams('The query has more placeholders than params has values.');
  }
  if (/column index out of range/i.test(fault)) {
    return invalidParams('The query has fewer placeholders than params has values.');
  }
  if (
    /not authorized|authorization denied|readonly|prohibited|access to .* denied|cannot vacuum/i.test(
      fault,
    )
  ) {
    const rule = mode === 'read' ? 'Reading is all that is allowed' : 'This is not allowed';
    return new ToolFailure('PERMISSION_DENIED', `${rule}: ${fault}.`, {
      suggestions:
        mode === 'read'
          ? ['Use mode "write" for a statement that changes data; a person is asked.']
          : ['Other files, extensions and settings cannot be reached from a query.'],
    });
  }
  if (/locked|busy/i.test(fault)) return databaseBusy();
  if (/not a database|malformed|unable to open/i.test(fault)) {
    return new ToolFailure('EXECUTION_FAILED', 'The file is no SQLite database that can be read.');
  }
  if (/out of memory|too big/i.test(fault)) {
    return new ToolFailure('OUTPUT_TOO_LARGE', 'The query needs more memory than it may use.');
  }
  if (fault.startsWith('not watched')) {
    return new ToolFailure('EXECUTION_FAILED', 'The process for the query did not start properly.');
  }
  return invalidQuery(`SQLite: ${fault}`);
};

type SqliteReply = Exclude<z.infer<ReturnType<typeof answer>>, { fault: string }>;

const ask = async (
  message: QueryRequest & { readonly path: string },
  session: SqliteSession,
): Promise<SqliteReply> => {
  const reply = await askSqlite(session, {
    message,
    timeoutMs: message.timeout,
    maxAnswerBytes: message.maxBytes * 2 + 100_000,
  });
  const parsed = answer().safeParse(reply);
  if (!parsed.success) {
    throw new ToolFailure('EXECUTION_FAILED', 'The query ended without an answer.');
  }
  if ('fault' in parsed.data) throw failureOf(parsed.data.fault, message.mode);
  return parsed.data;
};

const answerOf = (reply: SqliteReply, request: QueryRequest): QueryAnswer => {
  const page = takeRows(reply.names, reply.values, request);
  const { rows, truncated } = page;
  return { ...page, rowCount: reply.changes ?? rows.length, truncated: truncated || reply.more };
};

/** A database file, with what a call needs to query it. */
export interface SqliteLocation extends SqliteSession {
  /** Absolute, and allowed by the broker. */
  readonly path: string;
  readonly context: Pick<ToolContext, 'keepForUndo' | 'warn'>;
}

/** Runs a query; `signal` ends it. Copies the database before a change, so that it can be undone. */
export const runSqlite = async (
  { path, context, ...session }: SqliteLocation,
  request: QueryRequest,
): Promise<QueryAnswer> => {
  assertNoNames(request.query);
  if (request.mode === 'read') return answerOf(await ask({ ...request, path }, session), request);
  return inCopyFolder(async (keepIn) => {
    const message = { ...request, path, keepIn, maxKeepBytes: MAX_KEPT_BYTES };
    const reply = await ask(message, session);
    await keepCopy(keepIn, reply.undo ?? { reason: 'busy' }, context);
    return answerOf(reply, request);
  });
};
