/**
 * The program of a process that runs a compiler. It is text, so that it starts the same way from sources,
 * from the package and from a bundle.
 */
import { startParentWatch } from '../kit/work/parent-watch.ts';

/**
 * The functions that read (`readLine`) and write (`tell`) a line of JSON. They need `readSync` and
 * `writeSync`.
 */
export const LINE_PROTOCOL = `
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
`;

/**
 * Loads the first of its arguments that is a TypeScript with a JavaScript API. Then it reads one
 * message a line and answers each with a line. It ends with its input, and when anything throws.
 *
 * `serve` is the text of a function that gets `{ compiler, folder, ask }` and returns what answers a
 * message; `ask` sends one and waits for the next. Without a compiler the answer to everything is
 * `{ missing: true }`.
 */
export const compilerProgram = (serve: string): string => `
'use strict';
const { readSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');
${startParentWatch()};
const load = (file) => {
  try {
    const compiler = require(file);
    if (typeof compiler.createProgram !== 'function') return undefined;
    return { compiler, folder: dirname(file).replaceAll('\\\\', '/') };
  } catch {
    return undefined;
  }
};
${LINE_PROTOCOL}const ask = (message) => {
  tell(message);
  return readLine();
};
let loaded;
for (const file of process.argv.slice(1)) loaded ??= load(file);
const answer = loaded ? (${serve})({ ...loaded, ask }) : () => ({ missing: true });
for (;;) tell(answer(readLine()));
`;
