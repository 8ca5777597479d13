import { afterEach, describe, expect, it, vi } from 'vitest';
import { openOtlpReceiver } from '../../test/fixtures/otlp-receiver.ts';
import { checkTelemetry } from './check-telemetry.ts';

// The exporters read the process's own environment.
const check = (env: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return checkTelemetry(env);
};
afterEach(() => void vi.unstubAllEnvs());

describe('checkTelemetry', () => {
  it('finds nothing where no variable switches telemetry on', async () => {
    expect(await check({ OTEL_SERVICE_NAME: 'x' })).toEqual([]);
  });

  it('says which signals a collector takes', async () => {
    const collector = await openOtlpReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_LOGS_EXPORTER: 'none' };
    expect(await check(env)).toEqual([
      { name: 'telemetry', state: 'ok', message: `${collector.url} takes traces` },
      { name: 'telemetry', state: 'ok', message: `${collector.url} takes metrics` },
    ]);
    await collector.close();
  });

  it('warns, with what to do, where no collector answers or a protocol is missing', async () => {
    const away = await openOtlpReceiver();
    await away.close();
    const checks = await check({
      OTEL_EXPORTER_OTLP_ENDPOINT: away.url,
      OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'grpc',
      OTEL_METRICS_EXPORTER: 'none',
    });
    expect(checks).toMatchObject([
      { state: 'warning', message: expect.stringContaining('set it to http/protobuf') },
      {
        state: 'warning',
        message: expect.stringMatching(/does not take traces: .+/),
        fix: expect.stringContaining('OTEL_TRACES_EXPORTER'),
      },
    ]);
  });
});
