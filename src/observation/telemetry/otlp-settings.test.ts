import { describe, expect, it } from 'vitest';
import { readOtlpSettings } from './otlp-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('readOtlpSettings', () => {
  it.each([
    ['nothing set', {}],
    ['a service name alone', { OTEL_SERVICE_NAME: 'x' }],
    ['the SDK switched off', { ...ENDPOINT, OTEL_SDK_DISABLED: 'true' }],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
  ])('is off with %s', (_case, env) => {
    expect(readOtlpSettings(env)).toBeUndefined();
  });

  it('sends all signals to one endpoint, and leaves out those that are set to none', () => {
    const all = readOtlpSettings(ENDPOINT);
    expect(all).toMatchObject({ metricsEveryMs: 60_000, recordsContent: false, problems: [] });
    expect([...(all?.signals ?? [])]).toEqual(['traces', 'metrics', 'logs']);
    const some = readOtlpSettings({ ...ENDPOINT, OTEL_LOGS_EXPORTER: 'none' });
    expect([...(some?.signals ?? [])]).toEqual(['traces', 'metrics']);
  });

  it('sends the one signal that has an endpoint', () => {
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' };
    expect([...(readOtlpSettings(env)?.signals ?? [])]).toEqual(['traces']);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /"grpc"; set it to http\/protobuf/],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /OTEL_TRACES_EXPORTER is "zipkin"/],
  ])('says what to change with %j, and leaves that signal out', (more, message) => {
    const settings = readOtlpSettings({ ...ENDPOINT, ...more });
    expect(settings?.problems[0]).toMatch(message);
    expect(settings?.signals.has('traces')).toBe(false);
  });

  it.each([
    ['1500', 1500],
    ['1', 60_000],
    ['often', 60_000],
  ])('exports metrics every %s ms at most once a second', (text, every) => {
    const env = { ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: text };
    expect(readOtlpSettings(env)?.metricsEveryMs).toBe(every);
  });
});
