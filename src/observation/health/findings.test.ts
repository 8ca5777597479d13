import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import type { HealthCheck, HealthCheckResult, HealthKind } from '../../contract/health.ts';
import { adviceOf, broken, notSetUp, ok, stateOf, statusOf, warning } from './findings.ts';

const resultOf = (kind: HealthKind, ...checks: readonly HealthCheck[]): HealthCheckResult => {
  const state = stateOf(checks);
  return {
    subject: `${kind}:x`,
    kind,
    name: 'x',
    state,
    healthy: state !== 'unwell',
    timestamp: 1,
    durationMs: 1,
    checks,
  };
};

describe('what checks find', () => {
  it('is as bad as the worst of it', () => {
    expect(stateOf([])).toBe('well');
    expect(stateOf([ok('a', '')])).toBe('well');
    expect(stateOf([ok('a', ''), warning('b', '')])).toBe('limited');
    expect(stateOf([warning('b', ''), broken('c', '')])).toBe('unwell');
  });

  it('says what to do where that is known', () => {
    expect(broken('a', 'b', 'do this')).toMatchObject({ fix: 'do this' });
    expect(warning('a', 'b', '')).not.toHaveProperty('fix');
    const failure = new ToolFailure('NETWORK', 'away', { suggestions: ['Start it.'] });
    expect([adviceOf(failure), adviceOf(new Error('x'))]).toEqual(['Start it.', undefined]);
  });
});

describe('statusOf', () => {
  it('is healthy while nothing fails that was set up', () => {
    const missing = notSetUp(broken('docker', 'It is not installed.'));
    expect(statusOf([resultOf('tool', missing)], 1).healthy).toBe(true);
    expect(statusOf([resultOf('tool', broken('a', 'b'))], 1).healthy).toBe(false);
  });

  it('is ready while nothing is unwell without which a server cannot work', () => {
    const away = broken('a', 'It is away.');
    expect(statusOf([resultOf('tool', away)], 1).ready).toBe(true);
    expect(statusOf([resultOf('store', away)], 1)).toMatchObject({ ready: false, timestamp: 1 });
  });
});
