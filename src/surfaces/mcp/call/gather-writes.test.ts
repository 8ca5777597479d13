import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { gatherWrites } from './strict-lines.ts';

/** Notes what reaches the system, write by write. */
const recorder = () => {
  const writes: string[][] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      writes.push([String(chunk)]);
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  return { stream: gatherWrites(stream), writes };
};

it('gatherWrites sends all writes of one turn together, in order', async () => {
  const { stream, writes } = recorder();
  await Promise.all(['a', 'b', 'c'].map(async (text) => stream.write(text)));
  expect(writes).toEqual([]);
  await nextTurn();
  expect(writes).toEqual([['a', 'b', 'c']]);
  stream.write('d');
  await nextTurn();
  expect(writes).toEqual([['a', 'b', 'c'], ['d']]);
});

it('gatherWrites loses nothing when the stream ends in the same turn', async () => {
  const { stream, writes } = recorder();
  stream.write('a');
  stream.write('b');
  stream.end('c');
  await nextTurn();
  expect(writes.flat().join('')).toBe('abc');
});

it('gatherWrites reports backpressure and finished writes to the writer', async () => {
  const { stream } = recorder();
  expect(stream.write('x'.repeat(stream.writableHighWaterMark + 1))).toBe(false);
  await new Promise((resolve) => stream.once('drain', resolve));
  await new Promise((resolve) => stream.write('y', resolve));
});
