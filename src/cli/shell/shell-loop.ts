/** Reads line after line until the end, and remembers what failed last. */

import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Io, note } from '../io.ts';
import { onInterrupt } from '../session/on-interrupt.ts';
import { completeLine } from './complete-line.ts';
import { isInteractive, type LineSource, openLineSource } from './line-source.ts';
import { commandNames } from './shell-commands.ts';
import { isOpenLine } from './shell-line.ts';
import type { Session, SessionOptions } from './shell-session.ts';

interface History {
  /** Newest first, as readline takes them. */
  readonly lines: readonly string[];
  add(line: string): Promise<void>;
}

const KEPT = 1000;

const SECRET_WORD =
  /passw(?:or)?d|passphrase|secret|credential|api[-_.]?key|access[-_.]?key|private[-_.]?key|token|auth(?:orization|entication)?\b|bearer|cookie|session[-_.]?id|\bpin\b|\botp\b/i;
const SECRET_SHAPE =
  /(?:\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|gh[pousr]_\w+|github_pat_\w+|glpat-\S+|AKIA\w{8,}|ASIA\w{8,}|AIza\S+|xox[a-z]-\S+|eyJ[\w-]+\.|hf_\w{8,}|-----BEGIN|:\/\/[^\s/@:]+:[^\s/@]+@)/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Long runs that no person would type as a word. */
const isRandom = (word: string): boolean =>
  word.length >= 20 && !UUID.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word);

/** False when in doubt: a line that is missing costs little. A blank in front keeps a line out, too. */
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

/** Never fails: a shell without a history is still a shell. */
export const openHistory = async (file: string): Promise<History> => {
  const old = (await read(file)).slice(-KEPT);
  const lines = old.toReversed();
  const mode = 0o600;
  let ready: Promise<boolean> | undefined;
  const prepare = async (): Promise<boolean> => {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, old.map((line) => `${line}\n`).join(''), { mode });
      // The mode above counts for a new file only.
      await chmod(file, mode);
      return true;
    } catch {
      return false;
    }
  };
  return {
    lines,
    add: async (given) => {
      const line = given.trimEnd().replaceAll(/\s*\n\s*/g, ' ');
      if (line === '' || !isKeepable(line) || line === lines[0]) return;
      lines.unshift(line);
      ready ??= prepare();
      if (await ready) await appendFile(file, `${line}\n`, { mode }).catch(() => undefined);
    },
  };
};

const PROMPT = 'toolcrib> ';
const MORE = '        … ';

type Whole =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'interrupted'; readonly empty: boolean };

/** A line with all that belongs to it. */
const nextWhole = async (lines: LineSource, session: Session): Promise<Whole> => {
  let text = '';
  for (let prompt = PROMPT; ; prompt = MORE) {
    const typed = await lines.next(prompt);
    // What is not closed when the input ends is run as it is, and told what is wrong with it.
    if (typed.kind === 'end' && text !== '') return { kind: 'line', text };
    if (typed.kind === 'interrupted') return { ...typed, empty: typed.empty && text === '' };
    if (typed.kind !== 'line') return typed;
    text = text === '' ? typed.text : `${text}\n${typed.text}`;
    if (!isOpenLine(text, (name) => session.isTool(name))) return { kind: 'line', text };
  }
};

/** Ctrl-C cancels what runs; the second one leaves. */
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
  const talk = model === undefined ? '' : ` Anything else you say goes to ${model}.`;
  note(
    io,
    `${session.toolNames().length} tools. Type a name and Tab, or /help.${talk} Ctrl-D leaves.`,
  );
};

const noHistory: History = { lines: [], add: () => Promise.resolve() };

const follow = async (
  io: Io,
  session: Session,
  { lines, history }: { readonly lines: LineSource; readonly history: History },
): Promise<number> => {
  let failed = 0;
  let warned = false;
  for (;;) {
    const whole = await nextWhole(lines, session);
    if (whole.kind === 'end') return failed;
    if (whole.kind === 'interrupted') {
      if (whole.empty && warned) return failed;
      warned = whole.empty;
      if (warned) note(io, 'Ctrl-C again, or Ctrl-D, leaves.');
      continue;
    }
    warned = false;
    await history.add(whole.text);
    const code = await runLine(io, session, whole.text.replaceAll(/\\\n/g, ' '));
    if (code === 'quit') return failed;
    if (code !== 0) failed = code;
  }
};

/** The exit code: at a terminal 0, otherwise that of the last line that failed. */
export const runShell = async (
  io: Io,
  session: Session,
  { commands }: Pick<SessionOptions, 'commands'>,
): Promise<number> => {
  const interactive = isInteractive(io);
  const file = join(session.open.loaded.userDir, 'shell-history');
  const history = interactive ? await openHistory(file) : noHistory;
  const site = {
    commands: commandNames(commands),
    tools: () => session.toolNames(),
    schemaOf: (tool: string) =>
      session.isTool(tool) ? session.open.crib.tools.inputSchema(tool) : undefined,
  };
  const lines = openLineSource(io, {
    complete: (line) => completeLine(site, line),
    history: () => history.lines,
  });
  // Between two lines Ctrl-C is nobody's, and must not end the shell.
  const ignore = (): void => undefined;
  if (interactive) {
    io.signals.on('SIGINT', ignore);
    greet(io, session);
  }
  try {
    const failed = await follow(io, session, { lines, history });
    return interactive ? 0 : failed;
  } finally {
    io.signals.off('SIGINT', ignore);
    lines.close();
  }
};
