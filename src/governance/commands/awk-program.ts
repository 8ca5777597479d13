/**
 * Judges a program of awk: it may print, and neither write a file, nor run a program, nor read a file
 * or a variable of the environment that the command does not name. Accepts only what every
 * implementation of awk reads alike, because any of them may run it.
 */

/** Longer programs with a `>` or a pipe in them are refused. */
const MAX_LENGTH = 1_000;

/**
 * Names that run programs, read files or the environment. A number ends where a name begins, so
 * `1system("id")` calls `system`.
 */
const ACTS =
  /@|(?<!\w)(?:\d\w*?)?(?:system|getline|ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB|close|extension|bindtextdomain)(?!\w)/;

const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
const BRACKET = String.raw`\[(?:\^?\[:[a-z]+:\]|\^?[^\]\[\\/\n^])(?:\[:[a-z]+:\]|[^\]\[\\/\n])*\]`;
/** A regular expression where nothing can be divided. */
const PATTERN = new RegExp(String.raw`\/(?!=)(?:[^\/\\\[\n]|\\[^\n]|${BRACKET})+\/`, 'y');
/** Behind these a slash begins a regular expression. */
const STARTS_PATTERN = /(?:^|[(,~!&|{};])[ \t]*$/;
/** Behind these it divides. */
const STARTS_DIVISION = /(?:\d|\]|(?<!\w)[A-Za-z_]\w*)[ \t]*$/;
const KEYWORD =
  /(?<!\w)(?:print|printf|return|in|else|do|length|exit|case|default|delete|next|nextfile|continue|break|rand|srand|systime|fflush)[ \t]*$/;
/** Means the same in a regular expression and between two divisions, and ends with neither of them. */
const PLAIN = /\/[\w \t.:^$*+?<>=-]*\//y;

/** Replaces each string by an empty one; its text can be anything. */
const NO_TEXT = '""';

const matchEnd = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
};

/** Reads a slash: gives what stands for it and where to go on, or nothing when it is not clear. */
const readSlash = (
  program: string,
  at: number,
  code: string,
): readonly [text: string, next: number] | undefined => {
  if (STARTS_PATTERN.test(code)) {
    const end = matchEnd(PATTERN, program, at);
    return end === undefined ? undefined : ['0', end];
  }
  const isDivision =
    (STARTS_DIVISION.test(code) && !KEYWORD.test(code)) || program.indexOf('/', at + 1) < 0;
  // The second slash is read again: it may begin what the first one did not.
  return isDivision || matchEnd(PLAIN, program, at) !== undefined ? ['/', at + 1] : undefined;
};

/**
 * Gives a program without its strings and regular expressions. `undefined` when implementations could
 * disagree about where one of them ends.
 */
const codeOf = (program: string): string | undefined => {
  let code = '';
  for (let at = 0; at < program.length; ) {
    const char = program.charAt(at);
    if (char === '#' || char === '\\') return undefined;
    if (char === '"') {
      const end = matchEnd(STRING, program, at);
      if (end === undefined) return undefined;
      code += NO_TEXT;
      at = end;
    } else if (char === '/') {
      const read = readSlash(program, at, code);
      if (read === undefined) return undefined;
      code += read[0];
      at = read[1];
    } else {
      code += char;
      at += 1;
    }
  }
  return code;
};

const WORDS = /(?<!\w)(?:\d\w*?)?printf?(?!\w)|[();}>]/g;

/**
 * Tells whether a `>` redirects what is printed. In a statement that prints, it compares only inside of
 * parentheses that were opened after the word `print`. Other statements and patterns print nothing.
 */
const redirects = (code: string): boolean => {
  let depth = 0;
  let printsAt: number | undefined;
  for (const [word] of code.matchAll(WORDS)) {
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (word === ';' || word === '}') printsAt = undefined;
    else if (word !== '>') printsAt = depth;
    else if (printsAt !== undefined && depth <= printsAt) return true;
  }
  return false;
};

/** Tells whether a program of awk does nothing but print. */
export const onlyPrints = (program: string): boolean => {
  const isPlain = !/[>|]/.test(program.replaceAll('||', ' '));
  if (isPlain && !ACTS.test(program)) return true;
  if (program.length > MAX_LENGTH) return false;
  const code = codeOf(program);
  if (code === undefined || ACTS.test(code)) return false;
  return !code.replaceAll('||', ' ').includes('|') && !code.includes('>>') && !redirects(code);
};
