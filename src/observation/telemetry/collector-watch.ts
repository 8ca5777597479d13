/**
 * Logs when a collector stops taking what is sent to it, and when it takes it again. Exporters fail batch by
 * batch, every few seconds: a line for each would bury everything else.
 */
import type { Runtime } from '../../contract/runtime.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import type { Signal } from './otlp-settings.ts';

/** How an export ended, as OpenTelemetry's SDK has it. */
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
  /** Whether something that was sent last did not arrive, and the log says so. */
  isFailing(): boolean;
}

export interface CollectorWatchDeps {
  readonly runtime: Pick<Runtime, 'log'>;
  /** The address of the collector of a signal, without path and credentials. */
  originOf(signal: Signal): string;
}

const MAX_REASON = 300;

/** Signals of one collector share its state: they fail and recover together. */
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
      ...{ collector, signal, reason },
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
