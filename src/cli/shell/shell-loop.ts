/** Reads line after line until the end, and remembers what failed last. */
import { join } from 'node:path';
import { type Io, note } from '../io.ts';
import { onInterrupt } from '../session/on-interrupt.ts';
import { completeLine } from './complete-line.ts';
import { type History, openHistory } from './history.ts';
import { isInteractive, type LineSource, openLineSource } from './line-source.ts';
import { commandNames } from './shell-commands.ts';
import { isOpenLine } from './shell-line.ts';
import type { Session, SessionOptions } from './shell-session.ts';

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
