/** Opens the log of a process of the command line, as its configuration asks for. */
import { resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { LogRedactor } from '../../observation/logs/clean-line.ts';
import { createLogger, type ProcessLogger } from '../../observation/logs/create-logger.ts';
import type { LogSink } from '../../observation/logs/log-line.ts';
import { createPrettySink, type PrettySinkOptions } from '../../observation/logs/pretty-sink.ts';

export interface OpenLogDeps {
  readonly settings: Config['observation'];
  /** The user's configuration folder, which the path of the file starts at. */
  readonly userDir: string;
  readonly redactor: LogRedactor;
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly paint: PrettySinkOptions['paint'];
  /** `serve`, `worker` or `mcp`; absent for commands that a person waits for. */
  readonly service: string | undefined;
  readonly onlyOnce: boolean;
  /** Further destinations of the lines, such as a collector. */
  readonly sinks?: readonly LogSink[];
}

/** Loads `pino`, which lines for people do not need. */
const jsonSinks = async (
  { settings, userDir, service = 'cli', stderr }: OpenLogDeps,
  toStderr: boolean,
): Promise<readonly LogSink[]> => {
  const { createJsonSink } = await import('../../observation/logs/json-sink.ts');
  const about = { pid: process.pid, process: service };
  const sinks: LogSink[] = [];
  if (toStderr) {
    const target = { write: (text: string) => void stderr.write(text) };
    sinks.push(createJsonSink({ ...about, target }));
  }
  if (settings.logFile !== undefined && service !== 'cli') {
    const { openFileTarget } = await import('../../observation/logs/file-target.ts');
    const target = openFileTarget(resolve(userDir, settings.logFile));
    sinks.push(createJsonSink({ ...about, target }));
  }
  return sinks;
};

/** Opens the log. Throws CONFIG_INVALID for a file that cannot be written. */
export const openLog = async (deps: OpenLogDeps): Promise<ProcessLogger> => {
  const { settings, service, stderr, paint, onlyOnce, redactor, runtime } = deps;
  const isService = service !== undefined;
  const isAutoJson = isService && stderr.isTTY !== true;
  const isJson = settings.logFormat === 'json' || (settings.logFormat === 'auto' && isAutoJson);
  const hasFile = isService && settings.logFile !== undefined;
  const pretty = (): LogSink =>
    createPrettySink({
      write: (text) => void stderr.write(text),
      paint,
      onlyOnce,
      withTime: isService,
    });
  const sinks = [
    ...(isJson ? [] : [pretty()]),
    ...(isJson || hasFile ? await jsonSinks(deps, isJson) : []),
    ...(deps.sinks ?? []),
  ];
  return createLogger({ level: settings.logLevel, sinks, redactor, runtime });
};

export { logCalls } from '../../observation/logs/log-calls.ts';
