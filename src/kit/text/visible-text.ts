/**
 * Makes text safe to look at: characters that a terminal would obey, hide, reorder or stretch are
 * written as marks. The result is unambiguous: text that only looks like a mark is marked itself.
 */

/**
 * Control, format, unassigned and private characters, lone surrogates, every space but the plain
 * one, characters that fonts leave out, the marks used here, and towers of combining signs.
 */
export const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\p{DI}\u21aa\u2400-\u2426\u27e8\u27e9\u2800]|(?! )\p{Zs}|(?<=^|\n|\p{M}{3})\p{M}/gu;

/** Backslashes in front of something that reads like an escape, or will be written as one. */
const BACKSLASHES =
  /\\+(?=u(?:[0-9a-fA-F]{4}|\{[0-9a-fA-F])|[\u0080-\u009f\u21aa\u2400-\u2426\u27e8\u27e9\u2800\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]|(?! )\p{Zs})/gu;

/** Longer runs of blanks are counted instead of shown. */
const BLANKS_SHOWN = 32;
const TABS_SHOWN = 8;
const BLANK_LINES_SHOWN = 2;

const escaped = (code: number): string =>
  code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;

const marked = (character: string): string => {
  const code = Number(character.codePointAt(0));
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : escaped(code);
};

const withMarks = (text: string, keep: string): string =>
  text
    .replace(BACKSLASHES, (run) => run + run)
    .replace(HIDDEN, (character) => (keep.includes(character) ? character : marked(character)));

/** Writes a text on one line: line breaks and tabs are marked too. */
export const visibleText = (text: string): string => withMarks(text, '');

/** Writes a text over several lines: line breaks and tabs stay, all else is marked. */
export const visibleBlock = (text: string): string => withMarks(text, '\n\t');

/** Writes hidden characters of a JSON text as JSON escapes, so that the value stays the same. */
export const visibleJson = (json: string): string =>
  json.replace(HIDDEN, (character) =>
    character === '\n'
      ? character
      : Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(
          '',
        ),
  );

const countBlanks = (run: string): string => {
  const tabs = run.split('\t').length - 1;
  if (tabs === 0) return `⟨${run.length} ${run.length === 1 ? 'space' : 'spaces'}⟩`;
  if (tabs === run.length) return `⟨${tabs} ${tabs === 1 ? 'tab' : 'tabs'}⟩`;
  return `⟨${run.length} spaces and tabs⟩`;
};

const showBlanks = (run: string, ends: boolean): string => {
  const tabs = run.split('\t').length - 1;
  return ends || run.length > BLANKS_SHOWN || tabs > TABS_SHOWN
    ? countBlanks(run)
    : run.replaceAll('\t', '\u2409');
};

/** Runs of one and the same mark, e.g. 500 no-break spaces, are counted as well. */
const REPEATED = /(\\u(?:[0-9a-f]{4}|\{[0-9a-f]+\})|[\u2400-\u2421])\1{8,}/gu;

const visibleLine = (line: string): string =>
  line
    .split(/([ \t]+)/)
    .map((part, at, all) => {
      if (at % 2 === 0) {
        return withMarks(part, '').replace(
          REPEATED,
          (run, one: string) => `⟨${one} ×${run.length / one.length}⟩`,
        );
      }
      return showBlanks(part, at === all.length - 2 && all[at + 1] === '');
    })
    .join('');

const blankRun = (lines: readonly string[]): readonly string[] => {
  if (lines.length <= BLANK_LINES_SHOWN) return lines.map(visibleLine);
  const padded = lines.some((line) => line !== '') ? ', some with spaces or tabs' : '';
  return [`⟨${lines.length} blank lines${padded}⟩`];
};

/**
 * Writes a text line by line for an approver: as `visibleBlock`, but tabs are marked, and padding
 * that could push the rest out of sight is counted.
 */
export const visibleLines = (text: string): readonly string[] => {
  const shown: string[] = [];
  let blank: string[] = [];
  for (const line of text.split('\n')) {
    if (/^[ \t]*$/.test(line)) {
      blank.push(line);
      continue;
    }
    shown.push(...blankRun(blank), visibleLine(line));
    blank = [];
  }
  return [...shown, ...blankRun(blank)];
};

/** Writes an item of a list on one line: as `visibleLines`, with line breaks marked. */
export const visibleItem = (text: string): string =>
  text.split('\n').map(visibleLine).join('\u240a');
