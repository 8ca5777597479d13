/** Reads which signals the standard `OTEL_*` variables switch on. The exporters read the other variables. */

export type Signal = 'traces' | 'metrics' | 'logs';

const SIGNALS: readonly Signal[] = ['traces', 'metrics', 'logs'];

type Environment = Readonly<Record<string, string | undefined>>;

export interface OtlpSettings {
  readonly signals: ReadonlySet<Signal>;
  /** Returns where a signal is sent: scheme, host and port, without path and credentials. */
  originOf(signal: Signal): string;
  /** Milliseconds between two exports of metrics. */
  readonly metricsEveryMs: number;
  /** Spans hold redacted arguments and results. */
  readonly recordsContent: boolean;
  /** Settings that cannot be followed, each with what to do. */
  readonly problems: readonly string[];
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const METRICS_EVERY_MS = 60_000;
const MIN_METRICS_EVERY_MS = 1_000;

const setting = (env: Environment, name: string): string => env[name]?.trim() ?? '';

const isTrue = (env: Environment, name: string): boolean =>
  setting(env, name).toLowerCase() === 'true';

/** Reads a variable that exists for one signal and for all of them. */
const ofSignal = (env: Environment, signal: Signal, name: string): string =>
  setting(env, `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`) ||
  setting(env, `OTEL_EXPORTER_OTLP_${name}`);

const exporterOf = (env: Environment, signal: Signal): string => {
  const chosen = setting(env, `OTEL_${signal.toUpperCase()}_EXPORTER`);
  if (chosen !== '') return chosen;
  return ofSignal(env, signal, 'ENDPOINT') === '' ? 'none' : 'otlp';
};

const problemOf = (env: Environment, signal: Signal): string | undefined => {
  const exporter = exporterOf(env, signal);
  if (exporter === 'none') return undefined;
  if (exporter !== 'otlp') {
    return `OTEL_${signal.toUpperCase()}_EXPORTER is ${JSON.stringify(exporter)}; Toolcrib sends by otlp or not at all (none).`;
  }
  const protocol = ofSignal(env, signal, 'PROTOCOL');
  if (protocol === '' || protocol === 'http/protobuf') return undefined;
  return `OTEL_EXPORTER_OTLP_PROTOCOL is ${JSON.stringify(protocol)}; set it to http/protobuf, usually with port 4318, to send ${signal}.`;
};

/** Finds the collector as the exporters do. */
const originIn = (env: Environment, signal: Signal): string => {
  const endpoint = ofSignal(env, signal, 'ENDPOINT') || DEFAULT_ENDPOINT;
  return URL.canParse(endpoint) ? new URL(endpoint).origin : 'an address that is no URL';
};

/** Returns `undefined` where no variable switches anything on, which is the usual case. */
export const readOtlpSettings = (env: Environment): OtlpSettings | undefined => {
  if (isTrue(env, 'OTEL_SDK_DISABLED')) return undefined;
  const signals = SIGNALS.filter((signal) => exporterOf(env, signal) !== 'none');
  if (signals.length === 0) return undefined;
  const problems = signals.flatMap((signal) => problemOf(env, signal) ?? []);
  const every = Number(setting(env, 'OTEL_METRIC_EXPORT_INTERVAL') || METRICS_EVERY_MS);
  return {
    signals: new Set(signals.filter((signal) => problemOf(env, signal) === undefined)),
    originOf: (signal) => originIn(env, signal),
    metricsEveryMs: every >= MIN_METRICS_EVERY_MS ? every : METRICS_EVERY_MS,
    recordsContent: isTrue(env, 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'),
    problems,
  };
};
