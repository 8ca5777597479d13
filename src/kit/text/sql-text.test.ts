/** Text columns: every string comes back as it was, and no two strings become one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AWKWARD_STRINGS } from '../../../test/conformance/store-samples.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { fromSqlText, toSqlText } from './sql-text.ts';

/** Any UTF-16, lone surrogates, NUL and the escape character included. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(0, 0xffff, 0xd800, 0xdc00, 0x30, 0x66)))
  .map((units) => String.fromCharCode(...units));

describe('sql text', () => {
  it('comes back as it was, through a real column', async () => {
    const database = await openDatabase(':memory:');
    const echo = database.prepare('SELECT ? AS text');
    fc.assert(
      fc.property(fc.oneof(anyText, fc.constantFrom(...AWKWARD_STRINGS)), (text) => {
        const { text: kept } = echo.get(toSqlText(text)) as { text: string };
        expect(fromSqlText(kept)).toBe(text);
      }),
      { numRuns: 2000 },
    );
    database.close();
  });

  it('gives no two strings the same text', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(toSqlText(one) === toSqlText(other)).toBe(one === other);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves ordinary text alone', () => {
    for (const text of ['', 'user:alice', 'ä 😀 \n\t', '\ufffd'])
      expect(toSqlText(text)).toBe(text);
  });

  it('keeps a prefix a prefix', () => {
    expect(toSqlText('user:a\0b').startsWith(toSqlText('user:a'))).toBe(true);
  });
});
