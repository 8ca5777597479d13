/** Makes the key of a row. PostgreSQL indexes no text above 2.7 kB, so a longer key is its digest. */
import { hash } from 'node:crypto';
import { toSqlText } from '../../../kit/text/sql-text.ts';

const MAX_KEY_BYTES = 1000;

/** Shortens a key that is escaped already. No escape begins as a digest does. */
export const shortKey = (escaped: string): string =>
  Buffer.byteLength(escaped) <= MAX_KEY_BYTES
    ? escaped
    : `\uffffsha256:${hash('sha256', escaped, 'hex')}`;

export const toKeyText = (text: string): string => shortKey(toSqlText(text));
