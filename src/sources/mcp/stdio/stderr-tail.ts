/**
 * The last lines that a server wrote to stderr, redacted; older ones are let go. Each life of its
 * program writes by itself: what one left unfinished is not the beginning of a line of the next.
 */

const MAX_LINES = 200;
const MAX_LINE = 2000;

/** What one life of the program writes. */
export interface StderrLife {
  push(text: string): void;
  /** Nothing more comes: a line that was left unfinished is one. */
  end(): void;
}

export interface StderrTail {
  /** The program is started once more. */
  begin(): StderrLife;
  lines(): readonly string[];
}

export const createStderrTail = (redact: (text: string) => string): StderrTail => {
  let kept: string[] = [];
  /** The unfinished line of each life that may still write; one may end after the next began. */
  const unfinished = new Map<StderrLife, string>();

  const shown = (line: string): string => redact(line).slice(0, MAX_LINE);
  const keep = (line: string): void => {
    kept.push(shown(line));
    if (kept.length > 2 * MAX_LINES) kept = kept.slice(-MAX_LINES);
  };

  return {
    begin() {
      const life: StderrLife = {
        push(text) {
          const lines = ((unfinished.get(life) ?? '') + text).split('\n');
          // A line without end is cut as well: what is kept of a server stays small.
          const open = (lines.pop() ?? '').slice(-2 * MAX_LINE);
          for (const line of lines.slice(-MAX_LINES)) keep(line.replace(/\r$/, ''));
          if (open === '') unfinished.delete(life);
          else unfinished.set(life, open);
        },
        end() {
          const open = unfinished.get(life);
          unfinished.delete(life);
          if (open !== undefined) keep(open);
        },
      };
      return life;
    },
    lines: () => [...kept, ...[...unfinished.values()].map(shown)].slice(-MAX_LINES),
  };
};
