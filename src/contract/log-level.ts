/** The levels of the log, and how a running process changes its own. */

/** From the least severe to none at all. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogLevelState {
  /** The least severe level that is written now. */
  readonly level: LogLevel;
  /** The level that the configuration asks for. */
  readonly configured: LogLevel;
  /** Milliseconds since the epoch: when the configured level comes back by itself. */
  readonly until?: number;
}

export interface LogLevels {
  state(): LogLevelState;
  /** Changes the level: for so many milliseconds, or until the process ends. */
  set(level: LogLevel, forMs?: number): LogLevelState;
}
