/** Starts what sends spans, metrics and logs of a program to a collector, as the `OTEL_*` variables say. */
import type { CribHost } from '../contract/crib-host.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Telemetry } from '../contract/telemetry.ts';
import { CallMetrics } from '../observation/call-metrics.ts';
import type { LogSink } from '../observation/logs/log-line.ts';
import { readOtlpSettings } from '../observation/telemetry/otlp-settings.ts';
import { metricSourcesOf } from './metric-sources.ts';

export interface StartTelemetryDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

export interface RunningTelemetry {
  readonly telemetry: Telemetry | undefined;
  /** Sends lines of the log to the collector; absent where logs are not exported. */
  readonly logSink: LogSink | undefined;
  /** Exports the metrics of a crib from now on, and tells its log what goes wrong. */
  watch(crib: CribHost, log: Runtime['log']): void;
  /** Sends what is left, for a short while at most. Never rejects. */
  close(): Promise<void>;
}

/**
 * Starts the exporters; `undefined` where no variable switches one on. What cannot be done is
 * logged.
 */
export const startTelemetry = async ({
  env,
  version,
  runtime,
}: StartTelemetryDeps): Promise<RunningTelemetry | undefined> => {
  const settings = readOtlpSettings(env);
  for (const problem of settings?.problems ?? []) runtime.log.warn(problem);
  if (!settings || settings.signals.size === 0) return undefined;
  const { startOtlp } = await import('../observation/telemetry/start-otlp.ts');
  let { log } = runtime;
  const otlp = startOtlp(settings, {
    version,
    runtime: {
      now: runtime.now,
      get log() {
        return log;
      },
    },
  });
  const stops: (() => void)[] = [];
  return {
    telemetry: otlp.telemetry,
    logSink: otlp.logSink,
    watch: (crib, cribLog) => {
      log = cribLog;
      const isTool = (name: string): boolean => crib.tools.has(name);
      const calls = new CallMetrics(crib.events, { runtime, isTool });
      stops.push(() => calls.close());
      otlp.addMetrics(metricSourcesOf({ crib, version, calls }));
    },
    close: async () => {
      await otlp.close();
      for (const stop of stops) stop();
    },
  };
};
