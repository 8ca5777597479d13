import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.ts';
import { createStderrTail } from './stderr-tail.ts';

const push = (reader: LineReader, text: string) => reader.push(Buffer.from(text));

describe('lines of a server', () => {
  it('are joined from chunks of any size', () => {
    const reader = new LineReader(100);
    expect(push(reader, 'a')).toEqual([]);
    expect(push(reader, 'b\nc\r\n')).toEqual(['ab', 'c']);
    const [first, second] = [Buffer.from('ü').subarray(0, 1), Buffer.from('ü').subarray(1)];
    expect(reader.push(first)).toEqual([]);
    expect(reader.push(Buffer.concat([second, Buffer.from('\n')]))).toEqual(['ü']);
  });

  it('end with a carriage return or not, and it may come in another piece', () => {
    const reader = new LineReader(100);
    expect(push(reader, 'a\r\n\r\n\nb\r\r\nc\r')).toEqual(['a', '', '', 'b\r']);
    expect(push(reader, '\nd')).toEqual(['c']);
    expect(push(reader, '\ne\n')).toEqual(['d', 'e']);
  });

  it('threat: one that never ends is given up, complete or not', () => {
    expect(push(new LineReader(10), 'x'.repeat(11))).toBeUndefined();
    expect(push(new LineReader(10), `${'x'.repeat(11)}\n`)).toBeUndefined();
    const slow = new LineReader(10);
    for (let n = 0; n < 10; n++) expect(push(slow, 'x')).toEqual([]);
    expect(push(slow, 'x')).toBeUndefined();
    expect(push(new LineReader(10), `${'x'.repeat(10)}\n`)).toEqual(['x'.repeat(10)]);
  });
});

describe('what a server writes to stderr', () => {
  it('is kept to the last lines, each cut, and redacted', () => {
    const tail = createStderrTail((text) => text.replaceAll('secret', '***'));
    const life = tail.begin();
    life.push('the sec');
    life.push('ret\nlast');
    expect(tail.lines()).toEqual(['the ***', 'last']);
    for (let n = 0; n < 1000; n++) life.push(`line ${n}\n`);
    expect(tail.lines()).toHaveLength(200);
    expect(tail.lines().at(-1)).toBe('line 999');
  });

  it('does not run together with what its next life writes', () => {
    const tail = createStderrTail((text) => text.replaceAll('secret', '***'));
    const first = tail.begin();
    first.push('starting\ndied of sec');
    const second = tail.begin();
    second.push('starting ');
    first.push('ret');
    second.push('again\n');
    first.end();
    first.end();
    second.push('ready');
    expect(tail.lines()).toEqual(['starting', 'starting again', 'died of ***', 'ready']);
  });

  it('takes no memory however often it dies in the middle of a line', () => {
    const tail = createStderrTail((text) => text);
    for (let n = 0; n < 1000; n++) {
      const life = tail.begin();
      life.push(`died ${n}`);
      life.end();
    }
    expect(tail.lines()).toHaveLength(200);
    expect(tail.lines().at(-1)).toBe('died 999');
  });

  it('threat: a line without end takes no memory', () => {
    const tail = createStderrTail((text) => text);
    const life = tail.begin();
    for (let n = 0; n < 1000; n++) life.push('y'.repeat(10_000));
    expect(tail.lines().join('').length).toBeLessThan(10_000);
  });
});
