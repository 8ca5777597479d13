/**
 * Rewrites the classes of a JavaScript pattern that RE2 knows under the same name with another
 * meaning: RE2's `\s` is ASCII without the vertical tab, and its `.` matches all but the line feed.
 */

const SPACE =
  '\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}';
const NO_SPACE =
  '\\x{0}-\\x{8}\\x{E}-\\x{1F}!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}';
const ANYTHING = '\\x{0}-\\x{10FFFF}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** The parts that matter: an escape, an empty class, a bracket, a dot. */
const PARTS = /\\[\s\S]|\[\^?\]|[[\].]/g;

export const ecmaClasses = (source: string): string => {
  let isInClass = false;
  return source.replace(PARTS, (part) => {
    if (part === '\\s') return isInClass ? SPACE : `[${SPACE}]`;
    if (part === '\\S') return isInClass ? NO_SPACE : `[${NO_SPACE}]`;
    if (part.startsWith('\\')) return part;
    if (isInClass) return inClass(part);
    if (part === '[]') return `[^${ANYTHING}]`;
    if (part === '[^]') return `[${ANYTHING}]`;
    if (part === '.') return NO_LINE_END;
    isInClass = part === '[';
    return part;
  });

  /** A class ends at the first bracket that is not escaped; an opening one stands for itself. */
  function inClass(part: string): string {
    if (part.endsWith(']')) isInClass = false;
    return part.startsWith('[') ? `\\${part}` : part;
  }
};
