/** Writes cells of CSV (RFC 4180) that no spreadsheet takes for a formula. */

/** Also after white space and marks nobody sees, and in full width, which some programs fold. */
const FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u;

/** Quotes a cell where needed; an apostrophe goes before what a spreadsheet would compute. */
export const csvCell = (value: string | number): string => {
  const text = String(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};
