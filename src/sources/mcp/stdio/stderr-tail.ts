/**
 * Keeps the last lines that a server wrote to stderr, redacted. Each run of its program writes separately:
 * an unfinished line of one is not the beginning of a line of the next.
 */

const MAX_LINES = 200;
const MAX_LINE = 2000;
const MAX_KEPT_LINE = 4 * MAX_LINE;

/** The stderr of one run of the program. */
export interface StderrRun {
  push(text: string): void;
  /** Ends the run; an unfinished line counts as a line. */
  end(): void;
}

export interface StderrTail {
  /** Begins another run of the program. */
  begin(): StderrRun;
  lines(): readonly string[];
}

/** Redacts text that comes in pieces; finds secrets that span lines or pieces. */
export interface TextStream {
  /** Adds text; returns what is redacted by now. */
  push(text: string): string;
  /** Returns what is still held back, redacted as far as possible; it stays held. */
  peek(): string;
  end(): string;
}

/** Changes nothing: `lines` redacts the whole text. */
const passThrough = (): TextStream => ({ push: (text) => text, peek: () => '', end: () => '' });

const linesOf = (text: string): readonly string[] =>
  text.split('\n').map((line) => line.replace(/\r$/, ''));

export const createStderrTail = (
  redact: (text: string) => string,
  redactStream: () => TextStream = passThrough,
): StderrTail => {
  let stored: string[] = [];
  /** The unfinished text of each run; one may end after the next began. */
  const unfinished = new Map<StderrRun, () => string>();

  const store = (lines: readonly string[]): void => {
    // Generous: redaction runs again before the final cut, and would miss half a secret.
    stored.push(...lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_KEPT_LINE)));
    if (stored.length > 2 * MAX_LINES) stored = stored.slice(-MAX_LINES);
  };

  const begin = (): StderrRun => {
    const stream = redactStream();
    /** Redacted text without a line break so far. */
    let open = '';
    const take = (text: string): void => {
      const lines = linesOf(open + text);
      // A line without an end is cut as well.
      open = (lines.at(-1) ?? '').slice(0, MAX_KEPT_LINE);
      store(lines.slice(0, -1));
    };
    const run: StderrRun = {
      push(text) {
        take(stream.push(text));
        unfinished.set(run, () => open + stream.peek());
      },
      end() {
        take(stream.end());
        if (open !== '') store([open]);
        open = '';
        unfinished.delete(run);
      },
    };
    return run;
  };

  return {
    begin,
    lines: () => {
      const rest = [...unfinished.values()].flatMap((text) => linesOf(text().replace(/\n$/, '')));
      const text = [...stored, ...rest.filter((line, at) => line !== '' || at > 0)].join('\n');
      if (text === '') return [];
      // Again, for secrets that were loaded since.
      return linesOf(redact(text))
        .slice(-MAX_LINES)
        .map((line) => line.slice(0, MAX_LINE));
    },
  };
};
