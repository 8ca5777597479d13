/** Quotes a text so that a POSIX shell hands it over as one argument, exactly as it is. */

export const shellQuote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
