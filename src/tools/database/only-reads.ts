/**
 * Refuses statements that act on PostgreSQL, or through it on others, although their transaction is
 * read-only: it protects the data and nothing else.
 */
import { ToolFailure } from '../../contract/errors.ts';

/** An entry a line: the function, and what it does. `*` stands for the rest of a name. */
const ACTING_FUNCTIONS: readonly (readonly [name: string, what: string])[] = [
  ['pg_terminate_backend', 'ends the session of somebody else'],
  ['pg_cancel_backend', 'stops the query of somebody else'],
  ['pg_logical_emit_message', 'writes to the log of the server'],
  ['pg_logical_slot_get*', 'takes changes from those who wait for them'],
  ['pg_create_*_replication_slot', 'keeps the log of the server for ever'],
  ['pg_copy_*_replication_slot', 'keeps the log of the server for ever'],
  ['pg_drop_replication_slot', 'takes changes from those who wait for them'],
  ['pg_replication_slot_advance', 'takes changes from those who wait for them'],
  ['pg_notify', 'sends a message to other sessions'],
  ['pg_prewarm', 'fills the memory of the server'],
  ['pg_stat_reset*', 'clears the statistics'],
  ['pg_stat_statements_reset', 'clears the statistics'],
  ['pg_reload_conf', 'changes the configuration'],
  ['pg_rotate_logfile', 'changes the log files'],
  ['pg_promote', 'makes a copy the main server'],
  ['dblink*', 'connects to another server'],
  ['http', 'sends a request'],
  ['http_get', 'sends a request'],
  ['http_post', 'sends a request'],
  ['http_put', 'sends a request'],
  ['http_patch', 'sends a request'],
  ['http_delete', 'sends a request'],
  ['http_head', 'sends a request'],
  ['net.http_*', 'sends a request'],
  ['lo_import', 'reads a file of the server'],
  ['lo_export', 'writes a file of the server'],
  ['pg_read_file*', 'reads a file of the server'],
  ['pg_read_binary_file', 'reads a file of the server'],
  ['pg_file_*', 'changes a file of the server'],
  ['pg_ls_*', 'lists files of the server'],
  // They run SQL that they are given as text, in which the names above can be put together.
  ['query_to_xml*', 'runs a text as a query'],
  ['ts_stat', 'runs a text as a query'],
  ['cron.schedule*', 'adds a job'],
];

const escaped = (name: string): string =>
  name.replaceAll(/[.]/g, '\\s*\\.\\s*').replaceAll('*', '\\w*');

/**
 * In any place of the statement: what is a string and what is not depends on settings of the server.
 * Followed by a bracket, a quote or a comment, so that columns of such a name can be read.
 */
const ACTS = new RegExp(
  `(?<![\\w$])(?:${ACTING_FUNCTIONS.map(([name]) => escaped(name)).join('|')})(?:"?\\s*(?:\\(|--|/\\*))`,
  'i',
);
/** Names that are spelled in escapes: `U&"pg\\005fterminate…"`. */
const SPELLED = /\bU&"/i;

const COMMENTS = /^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/;
/** They run code or reach other sessions; what changes data is refused by the server. */
const ACTING_STATEMENTS =
  /^(?:CALL|CHECKPOINT|COPY|DISCARD|DO|EXECUTE|LISTEN|LOAD|LOCK|NOTIFY|PREPARE|UNLISTEN)\b/i;

const refused = (message: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', message, {
    suggestions: ['Use mode "write" for a statement that does more; a person is asked.'],
  });

/** Fails with PERMISSION_DENIED for a statement that does more than read. */
export const assertOnlyReads = (sql: string): void => {
  const statement = sql.replace(COMMENTS, '');
  // Comments can be nested: what is left of one is no statement.
  if (!/^[a-z(]/i.test(statement) || ACTING_STATEMENTS.test(statement)) {
    throw refused('Reading is all that is allowed: the statement does more.');
  }
  if (ACTS.test(sql) || SPELLED.test(sql)) {
    throw refused('Reading is all that is allowed: the query calls a function that does more.');
  }
};
