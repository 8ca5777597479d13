/** The program of a process that works on callers' data, as text: it starts the same way from sources, from the package and out of a bundle. */
import { startParentWatch } from './parent-watch.ts';

/**
 * Reads a message, loads the work module that it names, and answers with a message. Each is a length
 * of four bytes and what `v8.serialize` made: for long texts it is many times faster than JSON.
 */
export const workProgram = (): string => `
'use strict';
const { readSync, writeSync } = require('node:fs');
const { deserialize, serialize } = require('node:v8');
${startParentWatch()};
const read = (size) => {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; ) {
    const count = readSync(0, bytes, at, size - at, null);
    if (count === 0) process.exit(0);
    at += count;
  }
  return bytes;
};
const write = (bytes) => {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
};
const answerTo = async ({ file, input }) => {
  try {
    const { prepare } = await import(file);
    const work = await prepare(input);
    return { value: await work() };
  } catch (error) {
    if (error?.name === 'ToolFailure') {
      return { failure: { code: error.code, message: error.message, extras: error.extras } };
    }
    if (error?.name === 'RangeError') return { deep: true };
    return { broken: String(error?.stack ?? error) };
  }
};
(async () => {
  for (;;) {
    const answer = serialize(await answerTo(deserialize(read(read(4).readUInt32LE(0)))));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(answer.length, 0);
    write(length);
    write(answer);
  }
})();
`;
