/**
 * Escapes strings for TEXT columns. SQLite stores UTF-8 and the binding stops at NUL, so a lone surrogate
 * or a NUL would make two different keys one: `alice\0x` would read what is `alice`'s. Only those few
 * characters are escaped.
 */

const ESCAPE = '\uffff';
const UNSAFE = /[\0\uffff\p{Cs}]/u;
const EACH_UNSAFE = /[\0\uffff\p{Cs}]/gu;
const EACH_ESCAPED = /\uffff([0-9a-f]{4})/g;

export const toSqlText = (text: string): string =>
  UNSAFE.test(text)
    ? text.replace(
        EACH_UNSAFE,
        (character) => ESCAPE + character.charCodeAt(0).toString(16).padStart(4, '0'),
      )
    : text;

export const fromSqlText = (text: string): string =>
  text.includes(ESCAPE)
    ? text.replace(EACH_ESCAPED, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text;
