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
  ['aws_lambda.invoke', 'runs a function of AWS'],
  ['aws_s3.*', 'reads from and writes to S3'],
  ['utl_file.*', 'reads and writes files of the server'],
  ['pg_advisory_*', 'makes others wait'],
  ['pg_try_advisory_*', 'makes others wait'],
  ['pg_replication_origin_*', 'changes what a copy takes over'],
  ['pg_create_restore_point', 'writes to the log of the server'],
  ['pg_switch_wal', 'writes to the log of the server'],
  ['pg_switch_xlog', 'writes to the log of the server'],
  ['pg_backup_*', 'begins or ends a backup'],
  ['pg_start_backup', 'begins a backup'],
  ['pg_stop_backup', 'ends a backup'],
  ['pg_wal_replay_*', 'stops or starts a copy of the server'],
  ['pg_log_*', 'writes to the log of the server'],
  ['postgres_fdw_disconnect*', 'ends connections to another server'],
  ['lo_import', 'reads a file of the server'],
  ['lo_export', 'writes a file of the server'],
  ['pg_read_file*', 'reads a file of the server'],
  ['pg_read_binary_file*', 'reads a file of the server'],
  ['pg_stat_file', 'reads a file of the server'],
  ['pg_file_*', 'changes a file of the server'],
  ['pg_ls_*', 'lists files of the server'],
  // They run SQL that they are given as text, in which the names above can be put together.
  ['query_to_xml*', 'runs a text as a query'],
  ['ts_stat', 'runs a text as a query'],
  ['ts_rewrite', 'runs a text as a query'],
  ['crosstab*', 'runs a text as a query'],
  ['connectby', 'puts texts into a query'],
  ['xpath_table', 'puts texts into a query'],
  ['xslt_process', 'reads addresses that a text names'],
  ['run_command_on_*', 'runs a text as a query on other servers'],
  ['master_run_on_worker', 'runs a text as a query on other servers'],
  ['pg_background_*', 'runs a text as a query in another session'],
  ['cron.*', 'changes jobs'],
];

const escaped = (name: string): string =>
  name.replaceAll('*', '\\w*').replaceAll('.', '"?\\s*\\.\\s*"?');
/** Matches a function without its schema: a comment may stand on either side of the dot. */
const withoutSchema = (name: string): string => escaped(name.slice(name.indexOf('.') + 1));

const callOf = (names: readonly string[]): RegExp =>
  new RegExp(`(?<![\\w$])(?:${names.join('|')})(?:"?\\s*(?:\\(|--|/\\*))`, 'i');

const NAMES = ACTING_FUNCTIONS.map(([name]) => name);
/**
 * In any place of the statement: what is a string and what is not depends on settings of the server.
 * Followed by a bracket, a quote or a comment, so that columns of such a name can be read.
 */
const ACTS = callOf(NAMES.map(escaped));

/** By schema: the schema, beside a comment, and a call of one of its functions. */
const COMMENTED = NAMES.filter((name) => name.includes('.')).map((name) => ({
  schema: new RegExp(
    `(?<![\\w$])${name.slice(0, name.indexOf('.'))}"?\\s*(?:--|/\\*|\\.\\s*(?:--|/\\*))`,
    'i',
  ),
  call: callOf([withoutSchema(name)]),
}));

const callsActing = (sql: string): boolean =>
  ACTS.test(sql) || COMMENTED.some(({ schema, call }) => schema.test(sql) && call.test(sql));

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
  if (callsActing(sql) || SPELLED.test(sql)) {
    throw refused('Reading is all that is allowed: the query calls a function that does more.');
  }
};
