/** The last lines that a server wrote to stderr, redacted; older ones are let go. */

const MAX_LINES = 200;
const MAX_LINE = 2000;

export interface StderrTail {
  push(text: string): void;
  lines(): readonly string[];
}

export const createStderrTail = (redact: (text: string) => string): StderrTail => {
  let kept: string[] = [];
  let open = '';

  const keep = (line: string): void => {
    kept.push(redact(line).slice(0, MAX_LINE));
    if (kept.length > 2 * MAX_LINES) kept = kept.slice(-MAX_LINES);
  };

  return {
    push(text) {
      const lines = (open + text).split('\n');
      // A line without end is cut as well: what is kept of a server stays small.
      open = (lines.pop() ?? '').slice(-2 * MAX_LINE);
      for (const line of lines.slice(-MAX_LINES)) keep(line.replace(/\r$/, ''));
    },
    lines: () =>
      [...kept, ...(open === '' ? [] : [redact(open).slice(0, MAX_LINE)])].slice(-MAX_LINES),
  };
};
