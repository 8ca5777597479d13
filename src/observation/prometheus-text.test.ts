import { describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../test/fixtures/test-crib.ts';
import type { MeasuredCall } from '../contract/events.ts';
import { CallMetrics } from './call-metrics.ts';
import type { MetricSources } from './metric-families.ts';
import { createPrometheusText } from './prometheus-text.ts';

const scraped = async (
  work: (crib: Awaited<ReturnType<typeof testCrib>>) => Promise<unknown>,
  more: Partial<MetricSources> = {},
) => {
  const crib = await testCrib([aTool()]);
  const isTool = (name: string) => crib.tools.get(name) !== undefined;
  const calls = new CallMetrics(crib.events, { runtime: crib.runtime, isTool });
  await work(crib);
  const { text, contentType } = await createPrometheusText({
    version: '1.2.3',
    calls,
    circuits: () => crib.health.circuits(),
    servers: () => [],
    waitingApprovals: async () => 2,
    health: () => crib.health.latest(),
    watchers: () => 3,
    ...more,
  });
  return { text: await text(), contentType };
};

const MEASURED: Omit<MeasuredCall, 'executionId' | 'usage'> = {
  traceId: '',
  tool: 'echo',
  userId: 'ada',
  status: 'success',
  code: undefined,
  durationMs: 1,
  costUsd: 0,
  tokens: 0,
  attempts: 1,
  cached: false,
  version: '1.0.0',
  approvalId: undefined,
};

const LINE = /^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? (-?[0-9.e+-]+|Nan|NaN|[+-]Inf)$/;

describe('createPrometheusText', () => {
  it('writes lines that a scraper can read', async () => {
    const { text, contentType } = await scraped((crib) => crib.execute('echo', {}));
    expect(contentType).toContain('text/plain; version=0.0.4');
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
      expect(line).toMatch(LINE);
    }
  });

  it('has no figure in the first scrape that was not measured yet', async () => {
    const { text } = await scraped(async () => {});
    const values = text
      .split('\n')
      .filter((line) => line.startsWith('toolcrib_nodejs_eventloop_lag'))
      .map((line) => Number(line.split(' ').at(-1)));
    expect(values.length).toBeGreaterThan(0);
    for (const value of values) expect(value).toBeLessThan(3600);
  });

  it('counts calls, errors and durations by tool', async () => {
    const { text } = await scraped(async (crib) => {
      await crib.execute('echo', {});
      await crib.execute('echo', 'not an object');
    });
    expect(text).toContain('toolcrib_calls_total{tool="echo",status="success"} 1');
    expect(text).toContain('toolcrib_errors_total{tool="echo",code="VALIDATION_ERROR"} 1');
    expect(text).toContain('toolcrib_call_duration_seconds_bucket{tool="echo",le="+Inf"} 2');
    expect(text).toContain('toolcrib_call_duration_seconds_count{tool="echo"} 2');
    expect(text).toContain('toolcrib_running_calls{tool="echo"} 0');
  });

  it('has processor time and memory of sandboxed runs, for tools with measured runs only', async () => {
    const { text } = await scraped(async (crib) => {
      await crib.execute('echo', {});
      const { events } = crib;
      for (const [executionId, usage] of [
        ['x1', { cpuMs: 250, peakMemoryBytes: 4096 }],
        ['x2', { cpuMs: 500, peakMemoryBytes: 1024 }],
      ] as const) {
        events.emit('call.started', { executionId, tool: 'echo', userId: 'ada' });
        events.emit('call.measured', { ...MEASURED, executionId, usage });
      }
    });
    expect(text).toContain('toolcrib_sandbox_cpu_time_seconds_total{tool="echo"} 0.75');
    expect(text).toContain('toolcrib_sandbox_memory_peak_bytes{tool="echo"} 4096');
    const { text: unmeasured } = await scraped((crib) => crib.execute('echo', {}));
    expect(unmeasured).not.toMatch(/^toolcrib_sandbox/m);
  });

  it('counts every tool of a server that rests', async () => {
    const resting = ['one', 'two'].map((tool) => ({
      tool,
      state: 'open' as const,
      failures: 5,
      server: 'mcp:demo',
    }));
    const { text } = await scraped(async () => {}, { circuits: () => resting });
    expect(text).toContain('toolcrib_circuit_open{tool="one"} 1');
    expect(text).toContain('toolcrib_circuit_open{tool="two"} 1');
  });

  it('tells of each part and tool whether it worked when it was last checked', async () => {
    const healthy = { tool: true };
    const failing = aTool({ name: 'scale', healthCheck: async () => ({ healthy: healthy.tool }) });
    const crib = await testCrib([failing]);
    const read = async () =>
      (await scraped(async () => {}, { health: () => crib.health.latest() })).text;
    expect(await read()).not.toContain('toolcrib_healthy{');
    await crib.health.check({ kinds: ['store', 'tool'] });
    expect(await read()).toContain('toolcrib_healthy{subject="tool:scale",kind="tool"} 1');
    healthy.tool = false;
    await crib.health.check('scale');
    const text = await read();
    expect(text).toContain('toolcrib_healthy{subject="tool:scale",kind="tool"} 0');
    expect(text).toContain('toolcrib_healthy{subject="store",kind="store"} 1');
  });

  it('bounds the subjects of health, keeps those that fail, and leaves out what was never set up', async () => {
    const checked = (at: number, more: object = {}) => ({
      subject: `tool:t${at}`,
      kind: 'tool',
      name: `t${at}`,
      healthy: true,
      state: 'well',
      checks: [],
      timestamp: 1,
      durationMs: 0,
      ...more,
    });
    const broken = { name: 'own', state: 'broken', message: '' };
    const unwell = { healthy: false, state: 'unwell' };
    const many = Array.from({ length: 700 }, (_, at) => checked(at));
    const checks = [
      ...many,
      checked(700, { ...unwell, checks: [{ ...broken, notSetUp: true }] }),
      checked(701, { ...unwell, checks: [broken] }),
    ];
    const { text } = await scraped(async () => {}, { health: async () => ({ checks }) as never });
    expect(text.match(/^toolcrib_healthy\{/gm)).toHaveLength(500);
    expect(text).toContain('toolcrib_healthy{subject="tool:t701",kind="tool"} 0');
    expect(text).not.toContain('tool:t700');
  });

  it('has buckets that never fall', async () => {
    const { text } = await scraped((crib) => crib.execute('echo', {}));
    const counts = [...text.matchAll(/_duration_seconds_bucket\{.*\} (\d+)/g)].map(([, n]) =>
      Number(n),
    );
    expect(counts.length).toBeGreaterThan(10);
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
  });

  it('tells the state of the house', async () => {
    const server = { name: 'files', transport: 'stdio', state: 'open' } as never;
    const { text } = await scraped(async () => undefined, { servers: () => [server] });
    expect(text).toContain('toolcrib_server_up{server="files",state="open"} 0');
    expect(text).toContain('toolcrib_approvals_waiting 2');
    expect(text).toContain('toolcrib_event_clients 3');
    expect(text).toContain('toolcrib_build_info{version="1.2.3"} 1');
  });

  it('leaves out what cannot be told, and tells the rest', async () => {
    const { text } = await scraped(async () => undefined, {
      waitingApprovals: () => Promise.reject(new Error('no store')),
      health: () => Promise.reject(new Error('no store')),
    });
    expect(text).not.toMatch(/^toolcrib_approvals_waiting /m);
    expect(text).toContain('toolcrib_build_info');
  });

  it('threat: names that a caller makes up are not in it', async () => {
    const { text } = await scraped((crib) => crib.execute('canary"} 1\nforged_metric 1', {}));
    expect(text).not.toMatch(/canary|forged/);
  });
});
