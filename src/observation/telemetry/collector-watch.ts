/**
 * Logs when a collector begins to refuse exports, and when it accepts them again. Exporters fail with
 * every batch, every few seconds: a line for each would flood the log.
 */
import type { Runtime } from '../../contract/runtime.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import type { Signal } from './otlp-settings.ts';

/** The end of an export, as OpenTelemetry's SDK reports it. */
interface ExportEnd {
  /** 0 is success. */
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Items> {
  export(items: Items, done: (end: ExportEnd) => void): void;
}

export interface CollectorWatch {
  /** Makes an exporter of this signal report how its exports end; returns the exporter. */
  watch<Items, E extends Exporter<Items>>(signal: Signal, exporter: E & Exporter<Items>): E;
  /** Tells whether the last export of a signal failed, which is in the log. */
  isFailing(): boolean;
}

export interface CollectorWatchDeps {
  readonly runtime: Pick<Runtime, 'log'>;
  /** Returns the address of the collector of a signal, without path and credentials. */
  originOf(signal: Signal): string;
}

const MAX_REASON = 300;

/** Makes the watch. The signals of one collector share its state. */
export const watchCollectors = ({ runtime, originOf }: CollectorWatchDeps): CollectorWatch => {
  const failing = new Map<string, Set<Signal>>();

  const failed = (signal: Signal, error: unknown): void => {
    const collector = originOf(signal);
    const signals = failing.get(collector);
    if (signals) {
      signals.add(signal);
      return;
    }
    failing.set(collector, new Set([signal]));
    const reason = thrownText(error).slice(0, MAX_REASON);
    runtime.log.warn('the collector does not take telemetry; what it misses is lost', {
      collector,
      signal,
      reason,
    });
  };

  const succeeded = (signal: Signal): void => {
    const collector = originOf(signal);
    const signals = failing.get(collector);
    signals?.delete(signal);
    if (signals?.size !== 0) return;
    failing.delete(collector);
    runtime.log.warn('the collector takes telemetry again', { collector });
  };

  return {
    watch: (signal, exporter) => {
      const send = exporter.export.bind(exporter);
      exporter.export = (items, done) =>
        send(items, (end) => {
          if (end.code === 0) succeeded(signal);
          else failed(signal, end.error);
          done(end);
        });
      return exporter;
    },
    isFailing: () => failing.size > 0,
  };
};
