/**
 * The program of a process that checks types, as text: it must start the same way from sources, from
 * the package and out of a bundle.
 */
import { CHECK_PARTS, checkTypes } from './check-types.ts';
import { createProjectHost, HOST_PARTS } from './project-host.ts';

/** Ends the process when the one that started it is gone: a check may never end by itself. */
const WATCH = `
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, 1000);
`;

/**
 * Loads the first of its arguments that is a compiler. Then it reads one `ToCheck` a line, asks
 * meanwhile with `FromCheck`, waits for each answer, and tells the report. It ends with its input,
 * and with whatever throws.
 */
export const checkProgram = (): string => `
'use strict';
const { readSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');
const { Worker } = require('node:worker_threads');
${[...HOST_PARTS, ...CHECK_PARTS].map((part) => `const ${part.name} = ${part.toString()};`).join('\n')}
new Worker(${JSON.stringify(WATCH)}, { eval: true, stdout: true, stderr: true });
const load = (file) => {
  try {
    const compiler = require(file);
    if (typeof compiler.createProgram !== 'function') return undefined;
    return { compiler, libFolder: dirname(file).replaceAll('\\\\', '/'), libs: new Map() };
  } catch {
    return undefined;
  }
};
const chunk = Buffer.alloc(65536);
let rest = [];
const readLine = () => {
  for (;;) {
    const size = readSync(0, chunk, 0, chunk.length, null);
    if (size === 0) process.exit(0);
    const end = chunk.subarray(0, size).indexOf(10);
    rest.push(Buffer.from(chunk.subarray(0, end < 0 ? size : end)));
    if (end < 0) continue;
    const line = Buffer.concat(rest).toString('utf8');
    // Nothing follows a line before it is answered.
    rest = [];
    return JSON.parse(line);
  }
};
const tell = (message) => {
  const bytes = Buffer.from(JSON.stringify(message) + '\\n');
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
};
const ask = (question, path) => {
  tell({ question, path });
  return readLine().answer;
};
let bench;
for (const file of process.argv.slice(1)) bench ??= load(file);
for (;;) {
  const { job } = readLine();
  const host = bench && ${createProjectHost.name}(bench, job, ask);
  tell(host ? { report: ${checkTypes.name}(bench, job, host) } : { missing: true });
}
`;
