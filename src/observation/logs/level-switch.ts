/** The log level of a running process. It can be changed at run time, also for a limited time. */
import {
  LOG_LEVELS,
  type LogLevel,
  type LogLevelState,
  type LogLevels,
} from '../../contract/log-level.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { LineLevel } from './log-line.ts';

export interface LevelSwitchDeps {
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  readonly configured: LogLevel;
}

export class LevelSwitch implements LogLevels {
  readonly #deps: LevelSwitchDeps;
  readonly #listeners = new Set<() => void>();
  #level: LogLevel;
  #from: number;
  #until: number | undefined;
  #timer: Timer | undefined;

  constructor(deps: LevelSwitchDeps) {
    this.#deps = deps;
    this.#level = deps.configured;
    this.#from = LOG_LEVELS.indexOf(deps.configured);
  }

  state(): LogLevelState {
    const { configured } = this.#deps;
    const until = this.#until;
    return { level: this.#level, configured, ...(until !== undefined && { until }) };
  }

  /** Tells whether lines of this level are written. */
  allows(level: LineLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#from;
  }

  set(level: LogLevel, forMs?: number): LogLevelState {
    const { runtime, configured } = this.#deps;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#until = forMs === undefined ? undefined : runtime.now() + forMs;
    if (forMs !== undefined) {
      this.#timer = runtime.after(forMs, () => void this.set(configured));
      this.#timer.keepAlive(false);
    }
    this.#level = level;
    this.#from = LOG_LEVELS.indexOf(level);
    for (const listener of this.#listeners) listener();
    return this.state();
  }

  /** Calls the listener after each change; returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#timer?.cancel();
    this.#listeners.clear();
  }
}
