/** Reads and runs line after line, and keeps the history. */
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { canAsk } from '../input/confirm.ts';
import { type Io, note } from '../io.ts';
import { onInterrupt } from '../session/on-interrupt.ts';
import { completeLine } from './complete-line.ts';
import { type LineSource, openLineSource, type TypedLine } from './line-source.ts';
import { commandNames } from './shell-commands.ts';
import { isOpenLine } from './shell-line.ts';
import type { Session, SessionOptions } from './shell-session.ts';

interface History {
  /** Newest first, as readline expects them. */
  readonly lines: readonly string[];
  add(line: string): Promise<void>;
}

const MAX_LINES = 1000;

const SECRET_WORD =
  /passw(?:or)?d|passphrase|secret|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key|token|auth(?:orization|entication)?\b|bearer|cookie|session[-_.]?id|\bpin\b|\botp\b/i;
const SECRET_SHAPE =
  /(?:\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|gh[pousr]_\w+|github_pat_\w+|glpat-\S+|AKIA\w{8,}|ASIA\w{8,}|AIza\S+|xox[a-z]-\S+|eyJ[\w-]+\.|hf_\w{8,}|-----BEGIN|:\/\/[^\s/@:]+:[^\s/@]+@)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Recognizes long random words, which are likely secrets and not typed by hand. */
const isRandom = (word: string): boolean =>
  word.length >= 20 && !UUID.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word);

/** Tells whether a line may be stored; false when in doubt. A leading space keeps a line out, too. */
export const isKeepable = (line: string): boolean =>
  !/^\s/.test(line) &&
  !/^\/secrets\b/.test(line) &&
  !SECRET_WORD.test(line) &&
  !SECRET_SHAPE.test(line) &&
  !line.split(/[^A-Za-z0-9+/_-]+/).some(isRandom);

const read = async (file: string): Promise<readonly string[]> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '' && isKeepable(line));
};

/** Opens the history. Never fails: the shell works without one. */
export const openHistory = async (file: string): Promise<History> => {
  const old = (await read(file)).slice(-MAX_LINES);
  const lines = old.toReversed();
  const mode = 0o600;
  let ready: Promise<boolean> | undefined;
  const prepare = async (): Promise<boolean> => {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, old.map((line) => `${line}\n`).join(''), { mode });
      // The mode above applies to new files only.
      await chmod(file, mode);
      return true;
    } catch {
      return false;
    }
  };
  return {
    lines,
    add: async (text) => {
      const line = text.trimEnd().replaceAll(/\s*\n\s*/g, ' ');
      if (line === '' || !isKeepable(line) || line === lines[0]) return;
      lines.unshift(line);
      ready ??= prepare();
      if (await ready) await appendFile(file, `${line}\n`, { mode }).catch(() => undefined);
    },
  };
};

const PROMPT = 'toolcrib> ';
const CONTINUATION = '        … ';

/** Reads a line with its continuations. */
const readWholeLine = async (lines: LineSource, session: Session): Promise<TypedLine> => {
  let text = '';
  for (let prompt = PROMPT; ; prompt = CONTINUATION) {
    const typed = await lines.next(prompt);
    // An unclosed line at the end of the input is run as it is: its error explains what is wrong.
    if (typed.kind === 'end' && text !== '') return { kind: 'line', text };
    if (typed.kind === 'interrupted') return { ...typed, empty: typed.empty && text === '' };
    if (typed.kind !== 'line') return typed;
    text = text === '' ? typed.text : `${text}\n${typed.text}`;
    if (!isOpenLine(text, (name) => session.isTool(name))) return { kind: 'line', text };
  }
};

/** Runs one line. Ctrl-C cancels it; a second one leaves the shell. */
const runLine = async (io: Io, session: Session, text: string): Promise<number | 'quit'> => {
  const cancelled = new AbortController();
  const release = onInterrupt(io, () => cancelled.abort());
  try {
    return await session.run(text, cancelled.signal);
  } finally {
    release();
  }
};

const greet = (io: Io, session: Session): void => {
  const model = session.open.loaded.config.model?.model;
  const talk = model === undefined ? '' : ` Anything else you type goes to ${model}.`;
  note(
    io,
    `${session.toolNames().length} tools. Type a name and Tab, or /help.${talk} Ctrl-D leaves.`,
  );
};

const noHistory: History = { lines: [], add: () => Promise.resolve() };

const runLines = async (
  io: Io,
  session: Session,
  { lines, history }: { readonly lines: LineSource; readonly history: History },
): Promise<number> => {
  let failed = 0;
  let warned = false;
  for (;;) {
    const line = await readWholeLine(lines, session);
    if (line.kind === 'end') return failed;
    if (line.kind === 'interrupted') {
      if (line.empty && warned) return failed;
      warned = line.empty;
      if (warned) note(io, 'Press Ctrl-C again, or Ctrl-D, to leave.');
      continue;
    }
    warned = false;
    await history.add(line.text);
    const code = await runLine(io, session, line.text.replaceAll(/\\\n/g, ' '));
    if (code === 'quit') return failed;
    if (code !== 0) failed = code;
  }
};

/** Runs the shell; the exit code is 0 at a terminal, otherwise that of the last line that failed. */
export const runShell = async (
  io: Io,
  session: Session,
  { commands }: Pick<SessionOptions, 'commands'>,
): Promise<number> => {
  const interactive = canAsk(io);
  const file = join(session.open.loaded.userDir, 'shell-history');
  const history = interactive ? await openHistory(file) : noHistory;
  const deps = {
    commands: commandNames(commands),
    tools: () => session.toolNames(),
    schemaOf: (tool: string) =>
      session.isTool(tool) ? session.open.crib.tools.inputSchema(tool) : undefined,
  };
  const lines = openLineSource(io, {
    complete: (line) => completeLine(deps, line),
    history: () => history.lines,
  });
  // Between two lines Ctrl-C must not end the shell.
  const ignore = (): void => undefined;
  if (interactive) {
    io.signals.on('SIGINT', ignore);
    greet(io, session);
  }
  try {
    const failed = await runLines(io, session, { lines, history });
    return interactive ? 0 : failed;
  } finally {
    io.signals.off('SIGINT', ignore);
    lines.close();
  }
};
