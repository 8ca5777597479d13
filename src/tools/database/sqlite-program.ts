/**
 * The program of a process that runs SQLite queries: SQLite cannot be interrupted from JavaScript, a
 * process can be killed. It is text, so that it also runs out of a bundle.
 */
import { startParentWatch } from '../parent-watch.ts';
import { sqliteQuery } from './sqlite-query.ts';
import { sqliteSnapshot } from './sqlite-snapshot.ts';

/**
 * Loads the engine that its argument names. Then it reads one request a line and answers each with a
 * line. Every request opens the file anew and closes it: nothing is left from one to the next. It ends
 * with its input, and with whatever throws.
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

// The name was judged; what was opened under it must be that very file, also if a link was put there since.
const assertSame = (path, before) => {
  const now = openFiles();
  if (now === undefined || before === undefined) {
    if (realpathSync(path) !== path) throw new Error('swapped');
    return;
  }
  const known = new Set([path, path + '-wal', path + '-shm', path + '-journal', ...before]);
  if (!now.includes(path) || now.some((file) => file.startsWith('/') && !known.has(file) &&
      !file.startsWith('/proc/') && !file.startsWith('/dev/'))) throw new Error('swapped');
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
${sqliteQuery()}
const chunk = Buffer.alloc(65536);
const readLine = () => {
  const pieces = [];
  for (;;) {
    const size = readSync(0, chunk, 0, chunk.length, null);
    if (size === 0) process.exit(0);
    const end = chunk.subarray(0, size).indexOf(10);
    pieces.push(Buffer.from(chunk.subarray(0, end < 0 ? size : end)));
    // Nothing follows a line before it is answered.
    if (end >= 0) return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  }
};
const tell = (message) => {
  const bytes = Buffer.from(JSON.stringify(message) + '\\n');
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
};
const answer = async (request) => {
  try {
    return await (request.restore ? restore(request) : run(request));
  } catch (error) {
    return { fault: String(error?.message ?? error).slice(0, 500) };
  }
};
const serve = async () => {
  // A thread that starts opens files of its own, and those that are open are looked at above.
  watch.ref();
  await watching;
  watch.unref();
  for (;;) tell(await answer(readLine()));
};
void serve();
`;
