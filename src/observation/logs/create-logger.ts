/** The log of a process: each line is cleaned once and written to every sink. An exporter is one more sink. */
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
  /** Calls the listener after each change of the level; returns a function that removes it. */
  onLevel(listener: () => void): () => void;
  /** Reopens the files of its sinks. */
  reopen(): void;
  close(): Promise<void>;
}

class SinkWriter {
  readonly #options: LoggerOptions;
  readonly #levels: LevelSwitch;
  /** Sinks whose last write failed: that is reported once, to the others. */
  readonly #failed = new Set<LogSink>();

  constructor(options: LoggerOptions, levels: LevelSwitch) {
    this.#options = options;
    this.#levels = levels;
  }

  write(level: LineLevel, message: string, fields: Record<string, unknown> | undefined): void {
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

  /** Reports a failed sink to the others, once: a full disk must neither end the process nor flood them. */
  #report(failed: LogSink, error: unknown): void {
    if (this.#failed.has(failed)) return;
    this.#failed.add(failed);
    const { sinks } = this.#options;
    if (sinks.length > this.#failed.size) {
      this.write('error', 'The log cannot be written to one of its places.', {
        error: reasonOf(error),
      });
    }
  }
}

export const createLogger = (options: LoggerOptions): ProcessLogger => {
  const { runtime, level: configured, sinks } = options;
  const levels = new LevelSwitch({ runtime, configured });
  const writer = new SinkWriter(options, levels);
  const at =
    (level: LineLevel): Logger['info'] =>
    (message, fields) =>
      writer.write(level, message, fields);
  return {
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
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
