/** One line of the log, and the port to where lines go. */
import type { LogLevel } from '../../contract/log-level.ts';

export type LineLevel = Exclude<LogLevel, 'silent'>;

/** A line that is safe to write: secrets are redacted, long values cut, and its fields are plain data. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LineLevel;
  /** May hold line breaks and control characters: a sink has to write them as something harmless. */
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Where lines go: a stream, a file, an exporter. */
export interface LogSink {
  /** Writes a line, without waiting for anything. What it throws is reported to the other sinks. */
  write(line: LogLine): void;
  /** Reopens its file, after somebody has moved it away. */
  reopen?(): void;
  /** Writes what it still holds. */
  close?(): Promise<void> | void;
}
