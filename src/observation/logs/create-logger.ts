/**
 * The log of a process: each line is cleaned once and handed to every sink. A further place for lines,
 * such as an exporter, is one more sink.
 */
import type { LogLevel, LogLevels } from '../../contract/log-level.ts';
import type { Logger, Runtime } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { cleanLine, type LogRedactor } from './clean-line.ts';
import { LevelSwitch } from './level-switch.ts';
import type { LineLevel, LogSink } from './log-line.ts';

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly sinks: readonly LogSink[];
  readonly redactor: LogRedactor;
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
}

export interface ProcessLogger {
  readonly log: Logger;
  readonly levels: LogLevels;
  /** Tells whether lines of this level are written now. */
  allows(level: LineLevel): boolean;
  /** Calls back after each change of the level; returns how to stop. */
  onLevel(listener: () => void): () => void;
  /** Opens the files of its sinks anew. */
  reopen(): void;
  close(): Promise<void>;
}

class SinkLogger implements Logger {
  readonly #options: LoggerOptions;
  readonly #levels: LevelSwitch;
  /** Sinks whose last line failed: the others are told once. */
  readonly #failed = new Set<LogSink>();

  constructor(options: LoggerOptions, levels: LevelSwitch) {
    this.#options = options;
    this.#levels = levels;
  }

  debug(message: string, fields?: Record<string, unknown>): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: Record<string, unknown>): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: Record<string, unknown>): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: Record<string, unknown>): void {
    this.#write('error', message, fields);
  }

  #write(level: LineLevel, message: string, fields: Record<string, unknown> | undefined): void {
    if (!this.#levels.allows(level)) return;
    const { redactor, runtime, sinks } = this.#options;
    const line = { time: runtime.now(), level, ...cleanLine(message, fields, redactor) };
    for (const sink of sinks) {
      try {
        sink.write(line);
        this.#failed.delete(sink);
      } catch (error) {
        this.#report(sink, error);
      }
    }
  }

  /** A full disk must not end the process, nor fill the other sinks. */
  #report(failed: LogSink, error: unknown): void {
    if (this.#failed.has(failed)) return;
    this.#failed.add(failed);
    const { sinks } = this.#options;
    if (sinks.length > this.#failed.size) {
      this.error('The log cannot be written to one of its places.', { error: reasonOf(error) });
    }
  }
}

export const createLogger = (options: LoggerOptions): ProcessLogger => {
  const { runtime, level: configured, sinks } = options;
  const levels = new LevelSwitch({ runtime, configured });
  const logger = new SinkLogger(options, levels);
  // Methods are handed around on their own.
  const log: Logger = {
    debug: (message, fields) => logger.debug(message, fields),
    info: (message, fields) => logger.info(message, fields),
    warn: (message, fields) => logger.warn(message, fields),
    error: (message, fields) => logger.error(message, fields),
  };
  return {
    log,
    levels: { state: () => levels.state(), set: (level, forMs) => levels.set(level, forMs) },
    allows: (level) => levels.allows(level),
    onLevel: (listener) => levels.onChange(listener),
    reopen: () => {
      for (const sink of sinks) sink.reopen?.();
    },
    close: async () => {
      levels.close();
      await Promise.all(sinks.map(async (sink) => sink.close?.()));
    },
  };
};
