import { describe, expect, it } from 'vitest';
import { RawHeaders } from './raw-headers.ts';

const RAW = [
  'Host',
  'a.example',
  'X-Two',
  'one',
  'accept',
  'text/html',
  'x-TWO',
  'two',
  'Empty',
  '',
];

describe('raw headers', () => {
  it.each(['host', 'HOST', 'x-two', 'accept', 'empty', 'missing', 'hos', ''])(
    'says of %j what the web’s own would',
    (name) => {
      const headers = new RawHeaders(RAW);
      const web = headers.toHeaders();
      const expected = name === '' ? null : web.get(name);
      expect(headers.get(name)).toBe(expected);
      expect(headers.has(name)).toBe(expected !== null);
    },
  );

  it('joins those of one name', () => {
    expect(new RawHeaders(RAW).get('x-two')).toBe('one, two');
  });
});
