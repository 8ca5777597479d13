/**
 * The last lines that a server wrote to stderr, redacted; older ones are let go. Each life of its
 * program writes by itself: what one left unfinished is not the beginning of a line of the next.
 */

const MAX_LINES = 200;
const MAX_LINE = 2000;
const MAX_KEPT_LINE = 4 * MAX_LINE;

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

/** Redacts text that comes in pieces: a secret of several lines, or across two pieces, is found. */
export interface TextStream {
  /** What is clean by now. */
  push(text: string): string;
  /** What is held back, clean as far as it can be told; it stays held. */
  peek(): string;
  end(): string;
}

/** Hands everything on as it is; what is shown is redacted as a whole. */
const passOn = (): TextStream => ({ push: (text) => text, peek: () => '', end: () => '' });

const linesOf = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.replace(/\r$/, ''));

export const createStderrTail = (
  redact: (text: string) => string,
  redactStream: () => TextStream = passOn,
): StderrTail => {
  let kept: string[] = [];
  /** The unfinished text of each life that may still write; one may end after the next began. */
  const unfinished = new Map<StderrLife, () => string>();

  const keep = (lines: readonly string[]): void => {
    // Before the cut: half a secret is not known again.
    kept.push(...lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_KEPT_LINE)));
    if (kept.length > 2 * MAX_LINES) kept = kept.slice(-MAX_LINES);
  };

  const begin = (): StderrLife => {
    const stream = redactStream();
    /** Clean, and without a line break so far. */
    let open = '';
    const take = (text: string): void => {
      const lines = linesOf(open + text);
      // A line without end is cut as well: what is kept of a server stays small.
      open = (lines.at(-1) ?? '').slice(0, MAX_KEPT_LINE);
      keep(lines.slice(0, -1));
    };
    const life: StderrLife = {
      push(text) {
        take(stream.push(text));
        unfinished.set(life, () => open + stream.peek());
      },
      end() {
        take(stream.end());
        if (open !== '') keep([open]);
        open = '';
        unfinished.delete(life);
      },
    };
    return life;
  };

  return {
    begin,
    lines: () => {
      const rest = [...unfinished.values()].flatMap((text) => linesOf(text().replace(/\n$/, '')));
      const text = [...kept, ...rest.filter((line, at) => line !== '' || at > 0)].join('\n');
      if (text === '') return [];
      // Once more: a secret that was learnt since is taken out as well.
      return linesOf(redact(text))
        .slice(-MAX_LINES)
        .map((line) => line.slice(0, MAX_LINE));
    },
  };
};
