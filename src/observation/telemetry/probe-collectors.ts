/**
 * Sends an empty export of each signal, with the same exporters as calls, to see whether the collector
 * accepts it.
 */
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { emptyResource } from '@opentelemetry/resources';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { OtlpSettings, Signal } from './otlp-settings.ts';

export interface CollectorProbe {
  readonly signal: Signal;
  /** Why the collector did not accept the export; absent when it did. */
  readonly fault?: string;
}

type Done = (end: { readonly code: number; readonly error?: Error }) => void;

const MAX_PROBE_MS = 5_000;

type Send = (done: Done) => void;

/** Makes the exporter of a signal, and a function that sends an empty export with it. */
const emptyExport = (signal: Signal): { shutdown(): Promise<void>; readonly send: Send } => {
  const options = { timeoutMillis: MAX_PROBE_MS };
  if (signal === 'metrics') {
    const exporter = new OTLPMetricExporter(options);
    const nothing = { resource: emptyResource(), scopeMetrics: [] };
    return {
      shutdown: () => exporter.shutdown(),
      send: (done) => exporter.export(nothing, done),
    };
  }
  const exporter =
    signal === 'traces' ? new OTLPTraceExporter(options) : new OTLPLogExporter(options);
  return { shutdown: () => exporter.shutdown(), send: (done) => exporter.export([], done) };
};

const probe = async (signal: Signal): Promise<CollectorProbe> => {
  const { send, shutdown } = emptyExport(signal);
  const { code, error } = await new Promise<Parameters<Done>[0]>(send);
  await shutdown();
  return code === 0 ? { signal } : { signal, fault: reasonOf(error) };
};

/** Asks the collectors of all signals that are switched on, five seconds at most. */
export const probeCollectors = ({ signals }: OtlpSettings): Promise<readonly CollectorProbe[]> =>
  Promise.all([...signals].map(probe));
