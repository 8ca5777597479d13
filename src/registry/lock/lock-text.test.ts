import { describe, expect, it } from 'vitest';
import type { LockEntry } from '../../contract/lock.ts';
import { visibleItem, visibleJson, visibleLines } from '../../kit/text/visible-text.ts';
import { formatLock, parseLock } from './lock-text.ts';
import { canonicalData, fingerprintOfDefinition } from './pin-definition.ts';

const visible = { text: visibleItem, lines: visibleLines, json: visibleJson };

const entry = (tool: string, description = 'Adds.'): LockEntry => {
  const definition = canonicalData({ name: tool, description, input: { 10: 1, 9: 2, b: 3, a: 4 } });
  return {
    tool,
    origin: 'mcp:x',
    source: 'mcp',
    version: '1.0.0',
    fingerprint: fingerprintOfDefinition(definition),
    definition,
    acceptedAt: '2026-11-15T00:00:00.000Z',
    acceptedBy: 'ada',
  };
};

const text = formatLock([entry('b'), entry('a')], visible);
const parse = (given: string) => parseLock(given, visible);
const faultOf = (given: string) => {
  const reading = parse(given);
  return 'fault' in reading ? reading.fault : undefined;
};

describe('tools.lock', () => {
  it('gives back what was put in, sorted, whatever the order', () => {
    expect(parse(text)).toEqual({ entries: [entry('a'), entry('b')] });
    expect(formatLock([entry('a'), entry('b')], visible)).toBe(text);
    expect(parse(formatLock([], visible))).toEqual({ entries: [] });
  });

  it('escapes hidden characters and keeps their value', () => {
    const odd = entry('a', 'Adds\u200b\u202e\u{e0041}.');
    const written = formatLock([odd], visible);
    expect(written).not.toMatch(/[\u200b\u202e\u{e0041}]/u);
    expect(parse(written)).toEqual({ entries: [odd] });
  });

  it('accepts line ends of Windows', () => {
    expect(parse(text.replaceAll('\n', '\r\n'))).toEqual(parse(text));
  });

  it('keeps a key such as __proto__ what it is', () => {
    const definition = JSON.parse('{"__proto__":{"x":1},"name":"a"}') as unknown;
    const odd = { ...entry('a'), definition, fingerprint: fingerprintOfDefinition(definition) };
    expect(parse(formatLock([odd], visible))).toEqual({ entries: [odd] });
  });
});

describe('a lock file that is broken', () => {
  const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;

  it.each([
    [
      'a merge conflict',
      text.replace('      "tool": "b"', '<<<<<<< HEAD\n      "tool": "b"'),
      lineOf('"tool": "b"'),
    ],
    ['a missing comma', text.replace('"tool": "b",', '"tool": "b"'), lineOf('"tool": "b"') + 1],
    ['text cut off', text.slice(0, text.indexOf('"tool": "b"')), lineOf('"tool": "b"')],
    ['a word without quotes', text.replace('"version": 1,', '"version": one,'), 2],
  ])('%s is reported with its line', (_what, broken, line) => {
    expect(faultOf(broken)).toMatchObject({
      line,
      message: expect.stringContaining('is not JSON'),
    });
  });

  it.each([
    ['empty', ''],
    ['of another version', text.replace('"version": 1', '"version": 2')],
    ['a list', '[]\n'],
    ['null', 'null\n'],
    ['nested without end', '['.repeat(100_000)],
  ])('%s is refused', (_what, broken) => {
    expect(faultOf(broken)?.line).toBe(1);
  });

  it.each([
    ['two keys of one name', text.replace('"tool": "b",', '"tool": "b",\n      "tool": "c",')],
    ['a character that nobody sees', text.replace('"Adds."', '"Adds\u200b."')],
    ['another indent', text.replace('      "tool": "a"', '     "tool": "a"')],
    ['something after the end', `${text}\n`],
  ])('threat: hidden in review: %s is refused with its line', (_what, broken) => {
    expect(faultOf(broken)?.message).toMatch(/something other than Toolcrib wrote here/);
    expect(faultOf(broken)?.line).toBeGreaterThan(1);
  });

  it('threat: a definition for show: one that does not fit its fingerprint is refused', () => {
    const shown = text.replace('"description": "Adds."', '"description": "Adds well."');
    expect(faultOf(shown)).toEqual({
      line: 4,
      message: 'the fingerprint is not that of the definition below it',
    });
    const second = text.lastIndexOf('"Adds."');
    const other = `${text.slice(0, second)}"No."${text.slice(second + 7)}`;
    expect(faultOf(other)?.line).toBe(lineOf('"tool": "b"') - 1);
  });

  it.each([
    ['a field that is missing', (one: LockEntry) => ({ ...one, acceptedBy: undefined })],
    ['a field of another kind', (one: LockEntry) => ({ ...one, version: 1 })],
    ['a source that is none', (one: LockEntry) => ({ ...one, source: 'moon' })],
  ])('%s is refused', (_what, spoil) => {
    const spoilt = formatLock([spoil(entry('a')) as LockEntry], visible);
    expect(faultOf(spoilt)?.line).toBe(4);
  });
});
