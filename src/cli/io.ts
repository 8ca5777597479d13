/** The process as commands see it: streams, colours, environment, clock, and the exit code to leave. */
import type { Colors } from 'picocolors/types.js';
import type { CribHost } from '../contract/crib-host.ts';
import type { Events } from '../contract/events.ts';
import type { LogLevels } from '../contract/log-level.ts';
import type { Logger, Runtime } from '../contract/runtime.ts';
import { visibleJson } from '../kit/text/visible-text.ts';
import type { RunningTelemetry } from '../server/start-telemetry.ts';
import type { LoadedConfig } from '../trust/load-config.ts';

/** The log of a process that serves others. */
export interface ServiceLog {
  readonly levels: LogLevels;
  /** Writes a line for each call of a crib, while the level asks for it. */
  watch(events: Events): void;
  /** Reopens the file of the log, after a rotation; absent when there is no file. */
  reopen?(): void;
  close(): Promise<void>;
}

export interface CommandLog {
  readonly log: Logger;
  readonly service?: ServiceLog;
}

/** A crib that is open, and what it was opened with. */
export interface OpenCrib {
  readonly crib: CribHost;
  readonly loaded: LoadedConfig;
  /** The project's directory, or the current one when there is no project. */
  readonly root: string;
  readonly logging: CommandLog;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Io {
  readonly stdin: NodeJS.ReadStream & { readonly fd: number };
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
  readonly cwd: string;
  readonly runtime: Runtime;
  readonly signals: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;
  /** One JSON document on stdout and nothing else. */
  readonly json: boolean;
  /** Colours for stdout. */
  readonly ink: Colors;
  /** Colours for stderr. */
  readonly noteInk: Colors;
  /** The open crib of a shell; a command uses it instead of opening one. */
  readonly held?: OpenCrib;
  /** Sends spans and metrics to a collector; set once a command has opened a crib and the environment asks for it. */
  telemetry?: RunningTelemetry | undefined;
  exitCode: number;
}

/** Prints an answer, to stdout. */
export const print = (io: Io, ...lines: readonly string[]): void => {
  for (const line of lines) io.stdout.write(`${line}\n`);
};

/** Prints the one document of `--json`; control characters are escaped. */
export const printJson = (io: Io, value: unknown): void => {
  io.stdout.write(`${visibleJson(JSON.stringify(value, null, 2) ?? 'null')}\n`);
};

/** Prints everything that is not the answer, to stderr. */
export const note = (io: Io, ...lines: readonly string[]): void => {
  for (const line of lines) io.stderr.write(`${line}\n`);
};

/** Prints a warning, to stderr. */
export const warn = (io: Io, ...lines: readonly string[]): void =>
  note(io, ...lines.map((line) => `${io.noteInk.yellow('!')} ${line}`));

/** Prints that a change was made, to stdout. */
export const printDone = (io: Io, line: string): void => print(io, `${io.ink.green('✓')} ${line}`);

/** Prints what is less important, dimmed, to stderr. */
export const hint = (io: Io, ...lines: readonly string[]): void =>
  note(io, ...lines.map((line) => io.noteInk.dim(line)));

/** Prints what to do next, to stderr. */
export const advise = (io: Io, ...lines: readonly string[]): void =>
  note(io, ...lines.map((line) => `${io.noteInk.cyan('→')} ${line}`));

/** Makes the runtime of a surface, with tracing when the environment asks for it. */
export const surfaceRuntime = (io: Io, log: Logger): Runtime => ({
  ...io.runtime,
  log,
  telemetry: io.telemetry?.telemetry,
});

/** Returns the columns of the terminal; no limit when the output is not a terminal. */
export const widthOf = (io: Io): number =>
  io.stdout.isTTY === true ? Math.max(40, io.stdout.columns || 80) : Number.POSITIVE_INFINITY;
