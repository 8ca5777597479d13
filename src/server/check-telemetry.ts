/** Says whether the collectors that the `OTEL_*` variables name take what would be sent to them. */
import type { HealthCheck } from '../contract/health.ts';
import { ok, warning } from '../observation/health/findings.ts';
import { readOtlpSettings } from '../observation/telemetry/otlp-settings.ts';

const NAME = 'telemetry';

/** Finds nothing where no variable switches telemetry on. */
export const checkTelemetry = async (
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly HealthCheck[]> => {
  const settings = readOtlpSettings(env);
  if (!settings) return [];
  const { probeCollectors } = await import('../observation/telemetry/probe-collectors.ts');
  const probes = await probeCollectors(settings);
  return [
    ...settings.problems.map((problem) => warning(NAME, problem)),
    ...probes.map(({ signal, fault }) => {
      const collector = settings.originOf(signal);
      if (fault === undefined) return ok(NAME, `${collector} takes ${signal}`);
      const fix = `Start the collector, correct OTEL_EXPORTER_OTLP_ENDPOINT, or set OTEL_${signal.toUpperCase()}_EXPORTER to none.`;
      return warning(NAME, `${collector} does not take ${signal}: ${fault}`, fix);
    }),
  ];
};
