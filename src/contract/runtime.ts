/**
 * What the core gets of the outside world: clock, random numbers, log and traces. Injected, so that tests
 * control them.
 */
import type { Telemetry } from './telemetry.ts';

export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

export interface Timer {
  cancel(): void;
  /** Sets whether the process stays alive for the timer; it does by default. */
  keepAlive(on: boolean): void;
}

export interface Runtime {
  /** Returns the time in milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds on a clock that never goes back. */
  elapsed(): number;
  /** Computes `now` from a value that `elapsed` has just returned. Absent where `now` has to be read each time. */
  nowAt?(elapsed: number): number;
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number;
  /** Calls back after a while. */
  after(ms: number, callback: () => void): Timer;
  readonly log: Logger;
  /** Makes spans; absent where nobody traces. */
  readonly telemetry?: Telemetry | undefined;
}
