/** The part of the SQLite program that runs one statement with the rights of its mode. */

/** Needs `openDatabase`, `changeWithSnapshot` and `c` around it. */
export const sqliteQuery = (): string => `
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

// Values that are missing would be NULL without a word. One more than there are fits only then. What
// explains itself runs nothing.
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
  db.setAuthorizer((...asked) => (allows(mode, asked) ? c.SQLITE_OK : c.SQLITE_DENY));
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
