/**
 * The log of one command. `serve`, `worker` and `mcp` open it when they start. Any other command loads it
 * with its first line: few commands write one, and the redactor takes longer to load than most of them
 * run.
 */
import { LOG_LEVELS } from '../../contract/log-level.ts';
import type { Logger } from '../../contract/runtime.ts';
import type { OpenLogDeps } from '../../crib/project/open-log.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { CommandLog, Io, ServiceLog } from '../io.ts';

export interface CommandLogDeps {
  readonly loaded: Pick<LoadedConfig, 'config' | 'userDir'>;
  redactor(): Promise<OpenLogDeps['redactor']>;
  /** `serve`, `worker` or `mcp`; absent for commands that a person waits for. */
  readonly service: string | undefined;
  /** True for commands that stay: the same line may come again then. */
  readonly stays: boolean;
}

const depsOf = async (io: Io, deps: CommandLogDeps): Promise<OpenLogDeps> => {
  const { dim, yellow, red, cyan } = io.noteInk;
  return {
    settings: deps.loaded.config.observation,
    userDir: deps.loaded.userDir,
    redactor: await deps.redactor(),
    runtime: io.runtime,
    stderr: io.stderr,
    paint: { dim, debug: dim, info: cyan, warn: yellow, error: red },
    service: deps.service,
    onlyOnce: !deps.stays,
    sinks: io.telemetry?.logSink ? [io.telemetry.logSink] : [],
  };
};

/** Keeps lines until the log is loaded, which the first of them starts. */
const lateLog = (io: Io, deps: CommandLogDeps): CommandLog => {
  const from = LOG_LEVELS.indexOf(deps.loaded.config.observation.logLevel);
  let loaded: Logger | undefined;
  const waiting: ((log: Logger) => void)[] = [];
  const load = async (): Promise<void> => {
    const { openLog } = await import('../../crib/project/open-log.ts');
    const { log } = await openLog(await depsOf(io, deps));
    loaded = log;
    for (const write of waiting.splice(0)) write(log);
  };
  const write =
    (level: keyof Logger) =>
    (message: string, fields?: Record<string, unknown>): void => {
      if (LOG_LEVELS.indexOf(level) < from) return;
      if (loaded) {
        loaded[level](message, fields);
        return;
      }
      waiting.push((log) => log[level](message, fields));
      // `load` cannot fail here: the settings were checked before the command began.
      if (waiting.length === 1) void load();
    };
  return {
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
  };
};

/** Opens the log. Throws CONFIG_INVALID for a file that cannot be written. */
export const openCommandLog = async (io: Io, deps: CommandLogDeps): Promise<CommandLog> => {
  if (deps.service === undefined) return lateLog(io, deps);
  const { logCalls, openLog } = await import('../../crib/project/open-log.ts');
  const opened = await openLog(await depsOf(io, deps));
  const { log, levels } = opened;
  const { logFile, reportErrors } = deps.loaded.config.observation;
  const hasFile = logFile !== undefined;
  const service: ServiceLog = {
    levels,
    watch: (events) => void logCalls(events, opened, { reportErrors }),
    ...(hasFile && { reopen: () => opened.reopen() }),
    close: () => opened.close(),
  };
  return { log, service };
};
