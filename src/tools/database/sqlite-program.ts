/**
 * The program of a process that runs SQLite queries: SQLite cannot be interrupted from JavaScript, but a
 * process can be killed. It is text, so that it also runs from a bundle.
 */
import { startParentWatch } from '../../kit/work/parent-watch.ts';
import { LINE_PROTOCOL } from '../compiler-program.ts';
import { sqliteSnapshot } from './sqlite-snapshot.ts';

/** The part that runs one statement with the rights of its mode. Uses names of the program below. */
const QUERY = `
const codes = (...names) => new Set(names.map((name) => c['SQLITE_' + name]));
const READS = codes('SELECT', 'READ', 'FUNCTION', 'RECURSIVE');
const WRITES = codes('INSERT', 'UPDATE', 'DELETE', 'CREATE_TABLE', 'CREATE_INDEX', 'CREATE_VIEW',
  'CREATE_TRIGGER', 'DROP_TABLE', 'DROP_INDEX', 'DROP_VIEW', 'DROP_TRIGGER', 'ALTER_TABLE', 'REINDEX', 'ANALYZE');
const FUNCTIONS = new Set(['load_extension', 'fts3_tokenizer', 'readfile', 'writefile', 'edit']);
const PRAGMAS = new Set(['table_info', 'table_xinfo', 'table_list', 'index_list', 'index_info',
  'index_xinfo', 'foreign_key_list', 'foreign_key_check', 'integrity_check', 'quick_check']);
const NUMBERS = new Set(['user_version', 'schema_version', 'page_count', 'page_size', 'encoding', 'freelist_count']);

const allows = (mode, [code, first, second]) => {
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

const SQLITE_RANGE = 25;
const EXPLAINS = /^(?:\\s|--[^\\n]*(?:\\n|$)|\\/\\*[^]*?\\*\\/)*EXPLAIN\\b/i;

// SQLite binds NULL for missing values without an error. One value too many is accepted only when
// values are missing, and EXPLAIN runs nothing.
const assertAllGiven = (db, query, bound) => {
  if (!query.includes('?')) return;
  const probe = db.prepare(EXPLAINS.test(query) ? query : 'EXPLAIN ' + query);
  try {
    probe.get(...bound, null);
  } catch (error) {
    if (error?.errcode === SQLITE_RANGE) return;
    throw error;
  }
  throw new Error('too few values');
};

const runStatement = (db, { query, params, mode, maxRows, maxBytes }) => {
  db.setAuthorizer((...action) => (allows(mode, action) ? c.SQLITE_OK : c.SQLITE_DENY));
  const statement = db.prepare(query);
  statement.setReadBigInts(true);
  const bound = params.map((value) => (typeof value === 'boolean' ? Number(value) : value));
  assertAllGiven(db, query, bound);
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

const run = async (request) => {
  const reads = request.mode === 'read';
  const db = openDatabase(request.path, reads);
  try {
    if (!reads) return await changeWithSnapshot(db, request, () => runStatement(db, request));
    db.exec('PRAGMA query_only = ON');
    return runStatement(db, request);
  } finally {
    db.close();
  }
};
`;

/**
 * Writes the program. It loads the engine that its argument names, then reads one request a line and
 * answers each with a line. Every request opens the file anew and closes it, so that nothing carries
 * over. The process ends with its input, and when something throws.
 */
export const sqliteProgram = (): string => `
'use strict';
const { once } = require('node:events');
const { readdirSync, readFileSync, readlinkSync, readSync, realpathSync, rmSync, writeSync } = require('node:fs');
const { createHash } = require('node:crypto');
const { dirname, join } = require('node:path');

const watch = ${startParentWatch()};
const watching = once(watch, 'online');
const { DatabaseSync, backup, constants: c } = require(process.argv[1]);

const openFiles = () => {
  try {
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; }
    });
  } catch { return undefined; }
};

// The path was judged; the file that was opened must be that file, also if somebody put a link there since.
const assertSame = (path, before) => {
  const now = openFiles();
  if (now === undefined || before === undefined) {
    if (realpathSync(path) !== path) throw new Error('swapped');
    return;
  }
  const expected = new Set([path, path + '-wal', path + '-shm', path + '-journal', ...before]);
  // The C library reads the number of processors below /sys when a thread first needs memory.
  const foreign = now.find((file) => /^\\/(?!proc\\/|dev\\/|sys\\/)/.test(file) && !expected.has(file));
  if (foreign !== undefined || !now.includes(path)) throw new Error('swapped: ' + (foreign ?? 'closed'));
};

const openDatabase = (path, readOnly) => {
  const before = openFiles();
  const db = new DatabaseSync(path, { readOnly, allowExtension: false, timeout: 2000 });
  try {
    db.exec('PRAGMA schema_version');
    assertSame(path, before);
    db.enableDefensive(true);
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA hard_heap_limit = 268435456; PRAGMA temp_store = MEMORY');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};
${sqliteSnapshot()}
${QUERY}
${LINE_PROTOCOL}const answer = async (request) => {
  try {
    return await (request.restore ? restore(request) : run(request));
  } catch (error) {
    return { fault: String(error?.message ?? error).slice(0, 500) };
  }
};
const serve = async () => {
  // A thread that starts opens files of its own, which would look like a swapped file above.
  watch.ref();
  const unwatched = await watching.then(() => undefined, (error) => ({ fault: 'not watched: ' + error.message }));
  watch.unref();
  for (;;) {
    const request = readLine();
    tell(unwatched ?? (await answer(request)));
  }
};
void serve();
`;
