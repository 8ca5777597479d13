import { describe, expect, it } from 'vitest';
import type { HealthOverview } from '../../health/health-records.ts';
import { NEED_SOURCES } from './needs.ts';

const needsOf = (path: string, answer: unknown) =>
  NEED_SOURCES.find((source) => source.path === path)?.needsOf(answer as never, 0) ?? [];

const unwell = (name: string, finding: object): HealthOverview['checks'][number] => ({
  ...{ subject: `tool:${name}`, kind: 'tool', name, healthy: false, state: 'unwell' },
  checks: [{ name: 'own', state: 'broken', message: `${name} fails`, ...finding }],
  ...{ timestamp: 1, durationMs: 1 },
});

describe('what needs the reader', () => {
  it('names a tool that fails, and not one that was never set up here', () => {
    const checks = [unwell('scale', {}), unwell('docker', { notSetUp: true })];
    const needs = needsOf('/v1/health', { checks, schedules: [] });
    expect(needs.map(({ title, detail }) => [title, detail])).toEqual([['scale', 'scale fails']]);
  });

  it('names alerts that fire, and not those that are silenced', () => {
    const alert = { state: 'firing', subjects: [], definition: { when: 'calls > 1' } };
    const items = [
      { ...alert, id: 'loud' },
      { ...alert, id: 'quiet', silence: { until: 1, by: 'ada' } },
      { ...alert, id: 'calm', state: 'ok' },
    ];
    expect(needsOf('/v1/alerts', { items }).map(({ title }) => title)).toEqual(['loud']);
  });

  it('names up to three tools in quarantine, and more of them as one entry', () => {
    const held = (many: number) =>
      Array.from({ length: many }, (_, n) => ({ name: `t${n}`, quarantine: { reason: 'new' } }));
    const titles = (answer: object) => needsOf('/v1/tools', answer).map(({ title }) => title);
    expect(titles({ items: [...held(3), { name: 'off' }] })).toEqual(['t0', 't1', 't2']);
    expect(titles({ items: held(4) })).toEqual(['4 tools']);
    expect(titles({ items: held(200), next: 'more' })).toEqual(['more than 200 tools']);
  });

  it('says that there are more questions, and more runs, than the page that it got', () => {
    const record = { id: 'q1', expiresAt: 1, userId: 'ada', tool: 'send', request: { input: {} } };
    const titles = (answer: object) => needsOf('/v1/approvals', answer).map(({ title }) => title);
    expect(titles({ items: [record], next: 'more' })).toEqual(['More questions', 'send']);
    expect(titles({ items: [record] })).toEqual(['send']);
    const run = { id: 'r', flow: 'sums', waitsFor: ['event:paid'] };
    const waiting = NEED_SOURCES.find(({ query }) => query.status === 'waiting');
    expect(waiting?.needsOf({ items: [run], next: 'more' } as never, 0)).toMatchObject([
      { title: 'More flows: waiting' },
      { title: 'sums: waiting' },
    ]);
  });

  it('leaves out runs of flows whose question has an entry of its own', () => {
    const run = (flow: string, wait: string) => ({ id: flow, flow, waitsFor: [wait] });
    const items = [run('sums', 'approval:approval_1'), run('billing', 'event:paid')];
    const waiting = NEED_SOURCES.find(({ query }) => query.status === 'waiting');
    expect(waiting?.needsOf({ items } as never, 0)).toMatchObject([
      { title: 'billing: waiting', detail: 'Waits for event paid.' },
    ]);
  });
});
