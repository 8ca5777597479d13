/**
 * The program that runs one SQLite query in a process of its own: SQLite cannot be interrupted from
 * JavaScript, a process can be killed. It is text, so that it also runs out of a bundle.
 */
import { startParentWatch } from '../parent-watch.ts';

/** Reads a request as JSON from standard input and writes one answer as JSON. */
export const sqliteProgram = (): string => `
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

const watch = ${startParentWatch()};
const watching = once(watch, 'online');
const { engine, path, query, params, mode, maxRows, maxBytes } = JSON.parse(readFileSync(0, 'utf8'));
const { DatabaseSync, constants: c } = (await import(engine)).default;
// A thread that starts opens files of its own, and those that are open are looked at below.
watch.ref();
await watching;
watch.unref();

const openFiles = () => {
  try {
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; }
    });
  } catch { return undefined; }
};

// The name was judged; what was opened under it must be that very file, also if a link was put there since.
const assertSame = (before) => {
  const now = openFiles();
  if (now === undefined || before === undefined) {
    if (realpathSync(path) !== path) throw new Error('swapped');
    return;
  }
  const known = new Set([path, path + '-wal', path + '-shm', path + '-journal', ...before]);
  if (!now.includes(path) || now.some((file) => file.startsWith('/') && !known.has(file) &&
      !file.startsWith('/proc/') && !file.startsWith('/dev/'))) throw new Error('swapped');
};

const codes = (...names) => new Set(names.map((name) => c['SQLITE_' + name]));
const READS = codes('SELECT', 'READ', 'FUNCTION', 'RECURSIVE');
const WRITES = codes('INSERT', 'UPDATE', 'DELETE', 'CREATE_TABLE', 'CREATE_INDEX', 'CREATE_VIEW',
  'CREATE_TRIGGER', 'DROP_TABLE', 'DROP_INDEX', 'DROP_VIEW', 'DROP_TRIGGER', 'ALTER_TABLE', 'REINDEX', 'ANALYZE');
const FUNCTIONS = new Set(['load_extension', 'fts3_tokenizer', 'readfile', 'writefile', 'edit']);
const PRAGMAS = new Set(['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info',
  'index_xinfo', 'foreign_key_list', 'foreign_key_check', 'integrity_check', 'quick_check']);
const NUMBERS = new Set(['user_version', 'schema_version', 'page_count', 'page_size', 'encoding', 'freelist_count']);

const allows = (code, first, second) => {
  if (code === c.SQLITE_FUNCTION) return !FUNCTIONS.has(String(second).toLowerCase());
  if (code === c.SQLITE_PRAGMA) return PRAGMAS.has(first) || (NUMBERS.has(first) && second === null);
  return READS.has(code) || (mode === 'write' && WRITES.has(code));
};

const plain = (value) => {
  if (typeof value === 'bigint') {
    const small = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
    return small ? Number(value) : value.toString();
  }
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString('base64') };
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
};

const open = () => {
  const before = openFiles();
  const db = new DatabaseSync(path, { readOnly: mode === 'read', allowExtension: false, timeout: 2000 });
  db.exec('PRAGMA schema_version');
  assertSame(before);
  db.enableDefensive(true);
  if (mode === 'read') db.exec('PRAGMA query_only = ON');
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA hard_heap_limit = 268435456; PRAGMA temp_store = MEMORY');
  db.setAuthorizer((...asked) => (allows(...asked) ? c.SQLITE_OK : c.SQLITE_DENY));
  return db;
};

const run = () => {
  const statement = open().prepare(query);
  statement.setReadBigInts(true);
  const bound = params.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  const names = statement.columns().map(({ name }) => name);
  if (names.length === 0) return { names, values: [], changes: Number(statement.run(...bound).changes), more: false };
  statement.setReturnArrays(true);
  const values = [];
  let bytes = 0;
  for (const row of statement.iterate(...bound)) {
    const value = row.map(plain);
    bytes += JSON.stringify(value).length;
    if (values.length === maxRows || bytes > maxBytes) return { names, values, more: true };
    values.push(value);
  }
  return { names, values, more: false };
};

let answer;
try {
  answer = run();
} catch (error) {
  answer = { fault: String(error?.message ?? error).slice(0, 500) };
}
process.stdout.write(JSON.stringify(answer));
`;
