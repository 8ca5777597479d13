/**
 * Reads lines from a terminal with editing, history and completion, or from a pipe. Between two lines the
 * terminal is free for the running call: questions about approvals read from it, and Ctrl-C is a signal.
 */
import { createInterface } from 'node:readline';
import { readLines } from '../../approvers/terminal/line-reader.ts';
import { canAsk } from '../input/confirm.ts';
import type { Io } from '../io.ts';

export type TypedLine =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'end' }
  /** Ctrl-C, and whether anything had been typed. */
  | { readonly kind: 'interrupted'; readonly empty: boolean };

export interface LineSource {
  next(prompt: string): Promise<TypedLine>;
  close(): void;
}

interface LineSourceOptions {
  complete(line: string): readonly [string[], string];
  history(): readonly string[];
}

const pipedSource = (io: Io): LineSource => {
  const reader = readLines(io.stdin);
  return {
    next: async () => {
      const text = await reader.next();
      return text === undefined ? { kind: 'end' } : { kind: 'line', text };
    },
    close: () => reader.stop(),
  };
};

interface ReadLines {
  readonly first: TypedLine;
  /** Lines that were pasted after the first one, and text after them without a line break. */
  readonly more: readonly string[];
  readonly rest: string;
}

const readOnce = (
  io: Io,
  options: LineSourceOptions,
  { prompt, typed }: { readonly prompt: string; readonly typed: string },
): Promise<ReadLines> =>
  new Promise((resolve) => {
    const reader = createInterface({
      input: io.stdin,
      output: io.stderr,
      terminal: true,
      prompt,
      history: [...options.history()],
      historySize: 1000,
      completer: (line: string) => [...options.complete(line)] as [string[], string],
    });
    const lines: string[] = [];
    const settle = (first: TypedLine): void => {
      const rest = first.kind === 'line' ? reader.line : '';
      resolve({ first, more: lines.slice(1), rest });
      reader.close();
    };
    reader.on('line', (line) => {
      // All lines of one paste arrive in the same turn of the loop.
      if (lines.push(line) === 1) setImmediate(() => settle({ kind: 'line', text: line }));
    });
    reader.on('SIGINT', () => {
      const empty = reader.line === '';
      io.stderr.write('^C\n');
      settle({ kind: 'interrupted', empty });
    });
    reader.on('close', () => {
      if (lines.length === 0) resolve({ first: { kind: 'end' }, more: [], rest: '' });
    });
    reader.prompt();
    if (typed !== '') reader.write(typed);
  });

const terminalSource = (io: Io, options: LineSourceOptions): LineSource => {
  const pasted: string[] = [];
  let rest = '';
  return {
    next: async (prompt) => {
      const waiting = pasted.shift();
      if (waiting !== undefined) {
        io.stderr.write(`${prompt}${waiting}\n`);
        return { kind: 'line', text: waiting };
      }
      // Ctrl-D at a question ends the input: another prompt would wait for ever.
      if (io.stdin.readableEnded) return { kind: 'end' };
      const read = await readOnce(io, options, { prompt, typed: rest });
      pasted.push(...read.more);
      rest = read.rest;
      return read.first;
    },
    close: () => undefined,
  };
};

export const openLineSource = (io: Io, options: LineSourceOptions): LineSource =>
  canAsk(io) ? terminalSource(io, options) : pipedSource(io);
