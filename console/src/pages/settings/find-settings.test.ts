import { describe, expect, it } from 'vitest';
import { findSettings, groupSettings, isChanged, valueText } from './find-settings.ts';

const line = (path: string, value: unknown, usual: unknown = value) => ({
  path,
  value,
  default: usual,
  source: 'default',
  description: `About ${path}.`,
});

const LINES = [
  line('budget.dailyUsd', 5, 10),
  line('budget.dailyCalls', null),
  line('server.port', 7420),
  line('server.allowedHosts', ['ops.example.com'], []),
];

describe('the configuration', () => {
  const find = (words: string, onlyChanged = false) =>
    findSettings(LINES, { words, onlyChanged }).map(({ path }) => path);

  it('is searched by path, value and description', () => {
    expect(find('')).toHaveLength(4);
    expect(find('OPS.example')).toEqual(['server.allowedHosts']);
    expect(find('about budget')).toEqual(['budget.dailyUsd', 'budget.dailyCalls']);
    expect(find('port nothing')).toEqual([]);
  });

  it('shows on request only what somebody changed', () => {
    expect(find('', true)).toEqual(['budget.dailyUsd', 'server.allowedHosts']);
  });

  it('takes the order of keys for no change, that of items for one', () => {
    expect(isChanged(line('a', { x: 1, y: { b: 1, a: 2 } }, { y: { a: 2, b: 1 }, x: 1 }))).toBe(
      false,
    );
    expect(isChanged(line('a', [1, 2], [2, 1]))).toBe(true);
    expect(isChanged(line('a', undefined, null))).toBe(false);
    expect(isChanged(line('a', '1', 1))).toBe(true);
  });

  it('writes values as people do', () => {
    expect([valueText('text'), valueText(5), valueText(false), valueText(['a'])]).toEqual([
      'text',
      '5',
      'false',
      '["a"]',
    ]);
    expect([valueText(null), valueText(undefined)]).toEqual(['not set', 'not set']);
  });

  it('stands in groups, each with its changes', () => {
    expect(
      groupSettings(LINES).map(({ name, lines, changed }) => [name, lines.length, changed]),
    ).toEqual([
      ['budget', 2, 1],
      ['server', 2, 1],
    ]);
  });
});
