/**
 * The part of the SQLite program that copies the database before a change and restores it. Both use the
 * engine: replacing a file that other programs have open loses data, and a copied file lacks what is in
 * the write-ahead log.
 */

/**
 * Writes the text. It needs `openDatabase`, `openFiles`, `assertSame`, `tell`, `backup` and parts of
 * Node around it.
 */
export const sqliteSnapshot = (): string => `
const number = (db, name) => Object.values(db.prepare('PRAGMA ' + name).get())[0];

// Without what changes with the way it is stored: journal mode, change counter, version of the library.
const stateOf = (file) => {
  const bytes = readFileSync(file);
  for (const [from, to] of [[18, 20], [24, 28], [92, 100]]) bytes.fill(0, from, to);
  return createHash('sha256').update(bytes).digest('hex');
};

// One moment of the database as a file, and a number that another connection's commit changes.
const copyTo = async (db, file) => {
  rmSync(file, { force: true });
  db.exec('BEGIN');
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(db, file);
    return number(db, 'data_version');
  } finally {
    db.exec('COMMIT');
  }
};

const rollBack = (db) => {
  // A statement can have rolled back by itself.
  try { db.exec('ROLLBACK'); } catch {}
};

const MAX_TRIES = 3;

// Copies as copyTo does, and tries again when that fails. Undefined when no try made a copy.
const copyIfPossible = async (db, file) => {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    try { return await copyTo(db, file); } catch {}
  }
};

// Begins the transaction of the change; says whether nothing was changed between the copy and it.
const beginAfterCopy = async (db, before) => {
  for (let tries = 1; ; tries += 1) {
    const copied = await copyIfPossible(db, before);
    db.exec('BEGIN IMMEDIATE');
    if (number(db, 'data_version') === copied) return true;
    if (copied === undefined || tries === MAX_TRIES) return false;
    rollBack(db);
  }
};

const sizeOf = (db) => number(db, 'page_count') * number(db, 'page_size');

const begin = async (db, { keepIn, maxKeepBytes }) => {
  const size = sizeOf(db);
  // The check during a restore needs two pages at least.
  const reason = size > maxKeepBytes ? 'too large' : number(db, 'page_count') < 2 ? 'empty' : undefined;
  if (reason === undefined && (await beginAfterCopy(db, join(keepIn, 'before.db')))) return undefined;
  if (reason !== undefined) db.exec('BEGIN IMMEDIATE');
  return reason ?? 'busy';
};

const changeWithSnapshot = async (db, request, change) => {
  const reason = await begin(db, request);
  const version = number(db, 'data_version');
  let answer;
  try {
    answer = change();
    db.setAuthorizer(null);
    db.exec('COMMIT');
  } catch (error) {
    db.setAuthorizer(null);
    rollBack(db);
    throw error;
  }
  if (reason !== undefined) return { ...answer, undo: { reason } };
  const after = join(request.keepIn, 'after.db');
  const same = (await copyIfPossible(db, after)) === version;
  return { ...answer, undo: same ? { after: stateOf(after) } : { reason: 'busy' } };
};

// The engine opens the file by its name once more. It commits at the end: a process that dies has
// changed nothing, or everything. The next one sees which (again), and can roll back a journal.
const restore = async ({ path, after, keepIn, again }) => {
  const now = join(keepIn, 'now.db');
  const kept = join(keepIn, 'before.db');
  const db = openDatabase(path, !again);
  try {
    await copyTo(db, now);
  } finally {
    db.close();
  }
  const state = stateOf(now);
  if (again && state === stateOf(kept)) return { restored: true };
  if (state !== after) return { restored: false };
  const source = new DatabaseSync(kept, { readOnly: true });
  source.exec('PRAGMA schema_version');
  const before = openFiles();
  // The copying goes on in a thread meanwhile: it syncs the folder, and removes the journal.
  const passing = [dirname(path), path + '-journal (deleted)'];
  const progress = () => {
    try { assertSame(path, before && [...before, ...passing]); }
    catch (error) {
      tell({ fault: error.message });
      process.kill(process.pid, 'SIGKILL');
    }
  };
  try {
    await backup(source, path, { rate: 1, progress });
    return { restored: true };
  } finally {
    source.close();
  }
};
`;
