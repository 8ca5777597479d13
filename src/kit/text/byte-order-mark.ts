/** The byte order mark that some programs write before UTF-8. */

export const BYTE_ORDER_MARK = '\uFEFF';

/** Takes one mark off the front, as every reader of JSON or text files does. */
export const withoutByteOrderMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
