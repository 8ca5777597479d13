/** A real exporter, and a collector that goes away and comes back. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { emptyResource } from '@opentelemetry/resources';
import { afterEach, describe, expect, it } from 'vitest';
import { watchCollectors } from './collector-watch.ts';
import type { Signal } from './otlp-settings.ts';

const opened: Server[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await closed(server);
});

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });

/** Opens a collector that answers everything with this status. */
const collector = async (status: number, port = 0): Promise<Server & { readonly port: number }> => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end());
  });
  opened.push(server);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return Object.assign(server, { port: (server.address() as AddressInfo).port });
};

const loggedBy = (originOf: (signal: Signal) => string) => {
  const lines: (readonly [string, object | undefined])[] = [];
  const nothing = (): void => undefined;
  const warn = (message: string, fields?: object): void => void lines.push([message, fields]);
  const log = { debug: nothing, info: nothing, warn, error: warn };
  return { lines, watch: watchCollectors({ runtime: { log }, originOf }) };
};

const AWAY = 'the collector does not take telemetry; what it misses is lost';
const BACK = 'the collector takes telemetry again';

const sender = (port: number) => {
  const { lines, watch } = loggedBy(() => `http://127.0.0.1:${port}`);
  const options = (path: string) => ({
    url: `http://127.0.0.1:${port}/v1/${path}`,
    timeoutMillis: 500,
  });
  const traces = watch.watch('traces', new OTLPTraceExporter(options('traces')));
  const metrics = watch.watch('metrics', new OTLPMetricExporter(options('metrics')));
  const nothing = { resource: emptyResource(), scopeMetrics: [] };
  const send = async (): Promise<readonly number[]> =>
    Promise.all([
      new Promise<number>((resolve) => traces.export([], ({ code }) => resolve(code))),
      new Promise<number>((resolve) => metrics.export(nothing, ({ code }) => resolve(code))),
    ]);
  return { lines, send, isFailing: () => watch.isFailing() };
};

describe('a watched collector', () => {
  it('is logged once when it goes away, and once when it is back, whatever fails in between', async () => {
    const first = await collector(200);
    const { lines, send, isFailing } = sender(first.port);
    expect([await send(), lines]).toEqual([[0, 0], []]);
    await closed(first);
    for (let batch = 0; batch < 3; batch += 1) expect(await send()).toEqual([1, 1]);
    expect(lines.map(([message]) => message)).toEqual([AWAY]);
    expect(lines[0]?.[1]).toMatchObject({ collector: `http://127.0.0.1:${first.port}` });
    expect(isFailing()).toBe(true);
    await collector(200, first.port);
    expect([await send(), await send()]).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(lines.map(([message]) => message)).toEqual([AWAY, BACK]);
    expect(isFailing()).toBe(false);
  });

  it('is logged with its status when it refuses', async () => {
    const { port } = await collector(401);
    const { lines, send } = sender(port);
    expect(await send()).toEqual([1, 1]);
    expect(lines).toMatchObject([[AWAY, { reason: expect.stringMatching(/401|Unauthorized/) }]]);
  });

  it('is told apart from the collector of another signal', async () => {
    const { lines, watch } = loggedBy((signal) => `http://${signal}.example.com`);
    const failing = () => ({
      export: (_items: readonly never[], done: (end: { code: number; error?: Error }) => void) =>
        done({ code: 1, error: new Error('refused') }),
    });
    watch.watch('traces', failing()).export([], () => undefined);
    watch.watch('logs', failing()).export([], () => undefined);
    expect(lines.map(([, fields]) => fields)).toEqual([
      { collector: 'http://traces.example.com', signal: 'traces', reason: 'refused' },
      { collector: 'http://logs.example.com', signal: 'logs', reason: 'refused' },
    ]);
  });
});
