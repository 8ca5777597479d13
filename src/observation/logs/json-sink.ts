/**
 * Writes lines as JSON, one object a line, as `pino` does. In this process: a worker thread of a transport
 * could not be trusted to have written the last lines of a process that ends.
 */
import pino from 'pino';
import { visibleJson } from '../../kit/text/visible-text.ts';
import type { LogSink } from './log-line.ts';

/** Where the text goes. Throws when it cannot be written. */
export interface LineTarget {
  write(text: string): void;
  reopen?(): void;
  close?(): void;
}

export interface JsonSinkOptions {
  readonly target: LineTarget;
  readonly pid: number;
  /** Which part of Toolcrib the process is: `serve`, `worker`, `mcp`. */
  readonly process: string;
}

export const createJsonSink = ({ target, pid, process }: JsonSinkOptions): LogSink => {
  // Escapes characters that JSON allows and that a terminal or editor takes for line breaks or commands.
  const stream = { write: (text: string) => target.write(`${visibleJson(text.trimEnd())}\n`) };
  const logger = pino(
    {
      level: 'trace',
      base: { pid, process },
      // The sink writes the time of the line, not of the write.
      timestamp: false,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  return {
    write: ({ time, level, message, fields }) =>
      logger[level]({ time: new Date(time).toISOString(), ...fields }, message),
    reopen: () => target.reopen?.(),
    close: () => target.close?.(),
  };
};
