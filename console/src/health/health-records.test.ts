import { expect, it } from 'vitest';
import { type Finding, type HealthResult, healthWord, worstFirst } from './health-records.ts';

const result = (name: string, ...checks: readonly Omit<Finding, 'name' | 'message'>[]) =>
  ({
    ...{ subject: `tool:${name}`, kind: 'tool', name, timestamp: 0, durationMs: 0 },
    healthy: checks.every(({ state }) => state !== 'broken'),
    state: checks.some(({ state }) => state === 'broken') ? 'unwell' : 'well',
    checks: checks.map((check) => ({ name: 'c', message: 'm', ...check })),
  }) satisfies HealthResult;

const unset = result('unset', { state: 'broken', notSetUp: true }, { state: 'ok' });
const down = result('down', { state: 'broken', notSetUp: true }, { state: 'broken' });
const fine = result('fine', { state: 'ok' });

it('what was never set up is no alarm, unless something else fails, too', () => {
  expect([unset, down, fine].map((one) => healthWord(one)[1])).toEqual([
    'not set up',
    'unwell',
    'well',
  ]);
});

it('what fails comes first, then what is not set up', () => {
  expect(worstFirst([fine, unset, down]).map(({ name }) => name)).toEqual([
    'down',
    'unset',
    'fine',
  ]);
});
