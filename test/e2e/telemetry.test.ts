/** The built programs and a real collector: one trace through two of them, and metrics by the same names. */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import {
  type OtlpReceiver,
  openOtlpReceiver,
  type ReceivedSpan,
} from '../fixtures/otlp-receiver.ts';
import { createProject, type Project } from './run-toolcrib.ts';

const TIME_LIMIT = 120_000;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

const children: ChildProcess[] = [];
const receivers: OtlpReceiver[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const receiver of receivers.splice(0)) await receiver.close();
});

const receiver = async (): Promise<OtlpReceiver> => {
  const opened = await openOtlpReceiver();
  receivers.push(opened);
  return opened;
};

const otel = (url: string, service: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_SERVICE_NAME: service,
  OTEL_BSP_SCHEDULE_DELAY: '50',
  OTEL_METRIC_EXPORT_INTERVAL: '1000',
});

/** Starts a server whose only MCP server is another program of ours, with a service name of its own. */
const serveTwo = async (collector: OtlpReceiver) => {
  const project: Project = createProject();
  const inner: Project = createProject();
  const env = { ...otel(collector.url, 'inner'), HOME: inner.home };
  const command = { command: process.execPath, args: [inner.cli, 'mcp'], cwd: inner.folder, env };
  mkdirSync(join(project.home, '.config', 'toolcrib'), { recursive: true });
  writeFileSync(
    join(project.home, '.config', 'toolcrib', 'config.yml'),
    JSON.stringify({
      registry: { lock: 'off' },
      mcp: { servers: { inner: { ...command, tier: 'read_only' } } },
    }),
  );
  const token = (await project.run(['tokens', 'create', 'ci', '--role', 'operator'])).out.trim();
  const child = project.start(['serve', '--port', '0', '--no-console', '--json'], {
    env: { ...otel(collector.url, 'outer'), TOOLCRIB_OBSERVATION_LOG_LEVEL: 'info' },
  });
  children.push(child);
  let [out, err] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    err += String(chunk);
  });
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.endsWith('}\n')) resolve(JSON.parse(out));
    });
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${err}`)));
  });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  await eventually(async () => {
    const found = await fetch(`${url}/v1/tools/inner.calculator`, { headers });
    expect(found.status, `${await found.text()} ${err}`).toBe(200);
  });
  return { url, headers };
};

const UNIT_WORDS: ReadonlyMap<string, string> = new Map([
  ['s', '_seconds'],
  ['By', '_bytes'],
]);

const PUBLISHED: ReadonlySet<unknown> = new Set(Object.values(conventions));

const named = (spans: readonly ReceivedSpan[], name: string, service: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name && span.service === service);
  if (!found) throw new Error(`no ${name} of ${service}: ${spans.map((each) => each.name)}`);
  return found;
};

/** Names of attributes that neither the conventions nor we define. */
const unpublishedIn = (spans: readonly ReceivedSpan[]): readonly string[] =>
  [...new Set(spans.flatMap(({ attributes }) => Object.keys(attributes)))].filter(
    (name) => !name.startsWith('toolcrib.') && !PUBLISHED.has(name),
  );

describe('spans and metrics of built programs', { timeout: TIME_LIMIT }, () => {
  it('has one trace from the HTTP request through the pipeline to the MCP server', async () => {
    const collector = await receiver();
    const { url, headers } = await serveTwo(collector);
    const answer = await fetch(`${url}/v1/tools/inner.calculator/execute`, {
      method: 'POST',
      headers: { ...headers, traceparent: TRACEPARENT },
      body: JSON.stringify({ input: { expression: '6*7' } }),
    });
    const result = (await answer.json()) as { metadata: { traceId: string } };
    expect([answer.status, result]).toMatchObject([200, { data: { result: 42 } }]);
    expect(result.metadata.traceId).toBe(TRACE_ID);
    const spans = await eventually(() => {
      const ofTrace = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
      named(ofTrace, 'POST /v1/tools/:name/execute', 'outer');
      named(ofTrace, 'tools/call calculator', 'inner');
      named(ofTrace, 'execute_tool calculator', 'inner');
      return ofTrace;
    });
    const request = named(spans, 'POST /v1/tools/:name/execute', 'outer');
    const call = named(spans, 'execute_tool mcp:inner:calculator', 'outer');
    const hop = named(spans, 'tools/call calculator', 'outer');
    const served = named(spans, 'tools/call calculator', 'inner');
    expect(request).toMatchObject({ kind: 'SPAN_KIND_SERVER', parentSpanId: 'b7ad6b7169203331' });
    expect(call.parentSpanId).toBe(request.spanId);
    expect(hop).toMatchObject({ kind: 'SPAN_KIND_CLIENT' });
    expect(served).toMatchObject({ kind: 'SPAN_KIND_SERVER', parentSpanId: hop.spanId });
    expect(named(spans, 'execute_tool calculator', 'inner').parentSpanId).toBe(served.spanId);
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'mcp:inner:calculator',
      'gen_ai.tool.type': 'extension',
      'toolcrib.tool.source': 'mcp:inner',
      'toolcrib.call.status': 'success',
    });
    expect(unpublishedIn(spans)).toEqual([]);
    const stages = spans.filter(
      ({ name, service }) => service === 'outer' && name.startsWith('stage '),
    );
    expect(stages.map(({ name }) => name)).toContain('stage authorize');
    const parents = new Set([call.spanId, ...stages.map(({ spanId }) => spanId)]);
    expect(stages.every(({ parentSpanId }) => parents.has(parentSpanId))).toBe(true);
    const execute = spans.find((span) => span.name === 'stage execute' && span.service === 'outer');
    expect(hop.parentSpanId).toBe(execute?.spanId);
    expect(JSON.stringify(spans)).not.toContain('6*7');
    await eventually(() => {
      const lines = collector.logs.filter((line) => line.traceId === TRACE_ID);
      expect(lines.map(({ attributes }) => attributes.tool)).toContain('mcp:inner:calculator');
    });
  });

  it('has one trace from the command that adds a job to the call in the worker that runs it', async () => {
    const collector = await receiver();
    const project = createProject();
    const payload = JSON.stringify({ tool: 'calculator', input: { expression: '6*7' } });
    const added = await project.run(['jobs', 'add', 'tool', payload, '--json'], {
      env: otel(collector.url, 'adder'),
    });
    expect(added.code, added.err).toBe(0);
    children.push(project.start(['worker', '--quiet'], { env: otel(collector.url, 'worker') }));
    const call = await eventually(() =>
      named(collector.spans, 'execute_tool calculator', 'worker'),
    );
    const { id } = added.json<{ id: string }>();
    const enqueue = named(collector.spans, 'enqueue default', 'adder');
    const attempt = await eventually(() => named(collector.spans, 'process default', 'worker'));
    expect(enqueue).toMatchObject({
      kind: 'SPAN_KIND_PRODUCER',
      attributes: { 'messaging.message.id': id, 'messaging.operation.type': 'send' },
    });
    expect(attempt).toMatchObject({
      kind: 'SPAN_KIND_CONSUMER',
      parentSpanId: enqueue.spanId,
      attributes: { 'messaging.message.id': id, 'toolcrib.job.end': 'completed' },
    });
    expect(call.parentSpanId).toBe(attempt.spanId);
    expect(new Set([enqueue, attempt, call].map(({ traceId }) => traceId)).size).toBe(1);
    expect(unpublishedIn(collector.spans)).toEqual([]);
  });

  it('exports metrics by the names that Prometheus reads', async () => {
    const collector = await receiver();
    const { url, headers } = await serveTwo(collector);
    const call = () =>
      fetch(`${url}/v1/tools/calculator/execute`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ input: { expression: '6*7' } }),
      });
    expect((await call()).status).toBe(200);
    const accept = 'application/openmetrics-text; version=1.0.0';
    const page = await fetch(`${url}/metrics`, { headers: { ...headers, accept } });
    const text = await page.text();
    const traceId = /trace_id="([0-9a-f]{32})"/.exec(text)?.[1];
    await eventually(() => {
      const calls = collector.metrics.find(({ name }) => name === 'toolcrib.calls');
      expect(calls?.points.map(({ value }) => value)).toContain(1);
      expect(collector.spans.map((span) => span.traceId)).toContain(traceId);
    });
    expect(text).toContain('toolcrib_calls_total{');
    expect(text.endsWith('# EOF\n')).toBe(true);
    for (const { name, unit } of collector.metrics) {
      const plain = name.replaceAll('.', '_') + (UNIT_WORDS.get(unit) ?? '');
      expect(text).toContain(`# TYPE ${plain} `);
    }
  });

  it('benign: a program without the variables opens no connection and prints its own trace ids', async () => {
    const collector = await receiver();
    const project = createProject();
    const ended = await project.run(['run', 'calculator', 'expression=6*7', '--json']);
    expect(ended.json<{ metadata: { traceId: string } }>().metadata.traceId).not.toHaveLength(32);
    expect(collector.spans).toEqual([]);
  });

  it('sends the remaining spans when a short command ends, and ends without a collector as well', async () => {
    const collector = await receiver();
    const project = createProject();
    const run = (url: string) =>
      project.run(['run', 'calculator', 'expression=6*7'], {
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: url },
      });
    expect((await run(collector.url)).code).toBe(0);
    expect(collector.spans.map(({ name }) => name)).toContain('execute_tool calculator');
    const away = await receiver();
    await away.close();
    receivers.pop();
    expect((await run(away.url)).code).toBe(0);
  });

  it('says what to change when the environment asks for an unsupported protocol', async () => {
    const project = createProject();
    const { code, err } = await project.run(['run', 'calculator', 'expression=6*7'], {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      },
    });
    expect(code).toBe(0);
    expect(err).toContain('http/protobuf');
  });
});
