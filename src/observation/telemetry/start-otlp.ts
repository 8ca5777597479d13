/**
 * Sets up OpenTelemetry for our own programs, as the `OTEL_*` variables say. A program that uses the
 * library sets it up itself.
 */
import { context, trace } from '@opentelemetry/api';
import { type AnyValueMap, SeverityNumber } from '@opentelemetry/api-logs';
// The package is CommonJS: joined into one file, it has a default export only.
import asyncHooks from '@opentelemetry/context-async-hooks';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Runtime } from '../../contract/runtime.ts';
import type { Telemetry } from '../../contract/telemetry.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import type { LineLevel, LogLine, LogSink } from '../logs/log-line.ts';
import { type MetricFamily, type MetricSources, metricFamilies } from '../metric-families.ts';
import { type CollectorWatch, watchCollectors } from './collector-watch.ts';
import { createOtelTelemetry } from './otel-telemetry.ts';
import { createMetricProducer } from './otlp-metrics.ts';
import type { OtlpSettings } from './otlp-settings.ts';

export interface StartOtlpDeps {
  readonly version: string;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
}

export interface RunningOtlp {
  readonly telemetry: Telemetry | undefined;
  /** Exports lines of the log; `undefined` when logs are not exported. */
  readonly logSink: LogSink | undefined;
  /** Exports these metrics from now on. */
  addMetrics(sources: MetricSources): void;
  /** Sends what is left, within a few seconds. Never rejects. */
  close(): Promise<void>;
}

interface Provider {
  shutdown(): Promise<void>;
}

type Resource = ReturnType<typeof defaultResource>;

/** Describes this program; `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override it. */
const resourceOf = (version: string): Resource =>
  defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'toolcrib', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));

interface ExportDeps extends StartOtlpDeps {
  readonly resource: Resource;
  readonly collectors: CollectorWatch;
}

const startTraces = ({ resource, collectors }: ExportDeps): Provider => {
  const exporter = collectors.watch('traces', new OTLPTraceExporter());
  const spanProcessors = [new BatchSpanProcessor(exporter)];
  const provider = new BasicTracerProvider({ resource, spanProcessors });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new asyncHooks.AsyncLocalStorageContextManager().enable());
  return provider;
};

const SEVERITIES: Readonly<Record<LineLevel, SeverityNumber>> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
};

const startLogs = ({
  resource,
  version,
  collectors,
}: ExportDeps): Provider & { readonly sink: LogSink } => {
  const exporter = collectors.watch('logs', new OTLPLogExporter());
  const processors = [new BatchLogRecordProcessor({ exporter })];
  const provider = new LoggerProvider({ resource, processors });
  const logger = provider.getLogger('toolcrib', version);
  const write = ({ time, level, message, fields }: LogLine): void => {
    const severity = { severityNumber: SEVERITIES[level], severityText: level.toUpperCase() };
    // The line gets the trace of the span around it.
    logger.emit({ ...severity, timestamp: time, body: message, attributes: fields as AnyValueMap });
  };
  return { sink: { write }, shutdown: () => provider.shutdown() };
};

const startMetrics = (
  families: () => readonly MetricFamily[],
  { metricsEveryMs }: OtlpSettings,
  { resource, version, runtime, collectors }: ExportDeps,
): Provider => {
  const producer = createMetricProducer(families, { version, now: runtime.now });
  const reader = new PeriodicExportingMetricReader({
    exporter: collectors.watch('metrics', new OTLPMetricExporter()),
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: Math.min(metricsEveryMs, EXPORT_TIMEOUT_MS),
    metricProducers: [producer],
  });
  return new MeterProvider({ resource, readers: [reader] });
};

const EXPORT_TIMEOUT_MS = 30_000;
/** Limited, because a collector that does not answer must not keep a program from ending. */
const CLOSE_MS = 3_000;

const closing = (
  providers: readonly Provider[],
  { runtime, collectors }: Pick<ExportDeps, 'runtime' | 'collectors'>,
): Promise<void> => {
  const tell = (reason: string): void => {
    // The log says already that the collector does not answer.
    if (collectors.isFailing()) return;
    runtime.log.warn(`telemetry was not sent in full: ${reason}`);
  };
  const ended = Promise.all(providers.map((provider) => provider.shutdown())).then(
    () => undefined,
    (error: unknown) => tell(thrownText(error)),
  );
  const late = new Promise<void>((resolve) => {
    const giveUp = (): void => {
      tell(`the collector did not answer within ${CLOSE_MS / 1000} seconds`);
      resolve();
    };
    const timer = setTimeout(giveUp, CLOSE_MS);
    void ended.finally(() => clearTimeout(timer));
  });
  return Promise.race([ended, late]);
};

/** Starts the exporters of the signals that are switched on. */
export const startOtlp = (settings: OtlpSettings, deps: StartOtlpDeps): RunningOtlp => {
  const { version, runtime } = deps;
  const { signals, recordsContent, originOf } = settings;
  const collectors = watchCollectors({ runtime, originOf });
  const exports = { ...deps, resource: resourceOf(version), collectors };
  const families: MetricFamily[] = [];
  const logs = signals.has('logs') ? startLogs(exports) : undefined;
  const providers: Provider[] = [
    ...(signals.has('traces') ? [startTraces(exports)] : []),
    ...(signals.has('metrics') ? [startMetrics(() => families, settings, exports)] : []),
    ...(logs ? [logs] : []),
  ];
  return {
    telemetry: signals.has('traces') ? createOtelTelemetry({ version, recordsContent }) : undefined,
    logSink: logs?.sink,
    addMetrics: (sources) => void families.push(...metricFamilies(sources)),
    close: () => closing(providers, exports),
  };
};
