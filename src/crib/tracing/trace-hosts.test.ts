import { describe, expect, it } from 'vitest';
import type { Telemetry } from '../../contract/telemetry.ts';
import { createRuntime } from '../create-runtime.ts';
import { withTraceHosts } from './trace-hosts.ts';

const telemetry = { recordsContent: true, start: () => undefined } as unknown as Telemetry;

const judge = (...patterns: readonly string[]) => {
  const { telemetry: own } = withTraceHosts(createRuntime({ telemetry }), patterns);
  return (host: string, port = 443) => own?.sendsTraceTo?.(host, port);
};

describe('withTraceHosts', () => {
  it('returns a runtime without tracing unchanged', () => {
    const runtime = createRuntime();
    expect(withTraceHosts(runtime, ['*'])).toBe(runtime);
  });

  it('keeps whether contents are recorded', () => {
    expect(withTraceHosts(createRuntime({ telemetry }), []).telemetry?.recordsContent).toBe(true);
  });

  it.each(['localhost', 'api.localhost', '127.0.0.1', '127.9.9.9', '[::1]', 'LOCALHOST'])(
    'sends the trace to %s, which is this machine, whatever is configured',
    (host) => {
      expect(judge()(host)).toBe(true);
    },
  );

  it.each([
    'example.com',
    '10.0.0.1',
    'localhost.example.com',
    '127.0.0.1.example.com',
    'not a host',
  ])('threat: %s does not learn the trace unless it is named', (host) => {
    expect(judge()(host)).toBe(false);
    expect(judge('api.example.org')(host)).toBe(false);
  });

  it('sends the trace to hosts that are named, below a name, at a port, or to all', () => {
    expect(judge('api.example.com')('api.example.com')).toBe(true);
    expect(judge('*.example.com')('api.example.com')).toBe(true);
    expect(judge('*.example.com')('example.com')).toBe(false);
    expect(judge('example.com:8443')('example.com')).toBe(false);
    expect(judge('example.com:8443')('example.com', 8443)).toBe(true);
    expect(judge('*')('anything.example')).toBe(true);
  });
});
