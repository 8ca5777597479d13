import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { PolicyQuestion } from '../../contract/policy.ts';
import { conditionCompiler } from '../../governance/policy/condition/compile-condition.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { proposeCondition } from './ask-pattern.ts';

const question = (input: unknown): PolicyQuestion =>
  ({
    tool: { name: 't', version: '1.0.0', source: 'builtin', category: 'utility', capabilities: [] },
    tier: 'write',
    capability: undefined,
    input,
    caller: LOCAL_CALLER,
    now: 0,
    flow: { untrusted: false, sensitivity: 'public' },
  }) as unknown as PolicyQuestion;

const compile = conditionCompiler();

/** Doubt is a no, as for every grant. */
const holds = (condition: string, input: unknown): boolean => {
  const compiled = compile(condition);
  if (!('holds' in compiled)) throw new Error(compiled.reason);
  try {
    return compiled.holds(question(input));
  } catch {
    return false;
  }
};

describe('proposeCondition', () => {
  it('compares every field', () => {
    expect(proposeCondition({ path: 'a.txt', mode: 'w' })).toBe(
      'input.path == "a.txt" && input.mode == "w" && size(input) == 2',
    );
  });

  it.each([
    ['another value', { path: 'b.txt', force: false }],
    ['a field that was not there', { path: 'a.txt', force: false, recursive: true }],
    ['a field less', { path: 'a.txt' }],
    ['another type', { path: 'a.txt', force: 'false' }],
  ])('does not hold for %s', (_, other) => {
    const condition = proposeCondition({ path: 'a.txt', force: false }) ?? '';
    expect(holds(condition, { path: 'a.txt', force: false })).toBe(true);
    expect(holds(condition, other)).toBe(false);
  });

  it('compares the content of lists and objects, too', () => {
    const input = { command: 'git', args: ['status', 1, true, null], env: { A: 'b', in: [] } };
    const condition = proposeCondition(input) ?? '';
    expect(holds(condition, input)).toBe(true);
    expect(holds(condition, { ...input, args: ['status', 1, true] })).toBe(false);
    expect(holds(condition, { ...input, args: ['push', 1, true, null] })).toBe(false);
    expect(holds(condition, { ...input, env: { ...input.env, PATH: '/evil' } })).toBe(false);
  });

  it.each([
    ['a quote that would end the text', 'a" || true || "'],
    ['a backslash', 'a\\'],
    ['a line break', 'a\nb'],
    ['a bidi override', 'a\u202eb'],
    ['a tag character', 'a\u{e0041}b'],
    ['a zero-width space', 'a\u200bb'],
    ['an escape sequence', '\u001b[2K'],
  ])('%s stays inside its literal and is visible', (_, evil) => {
    const condition = proposeCondition({ path: evil, [evil]: 1 }) ?? '';
    expect(holds(condition, { path: evil, [evil]: 1 })).toBe(true);
    expect(holds(condition, { path: 'other', [evil]: 1 })).toBe(false);
    expect(condition).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  it.each([0, -1, 1.5, 1e21, 1e-7, 2 ** 60])('the number %d keeps its value', (value) => {
    const condition = proposeCondition({ value }) ?? '';
    expect(holds(condition, { value })).toBe(true);
    expect(holds(condition, { value: value + Math.max(1, Math.abs(value)) })).toBe(false);
  });

  it.each([
    ['a lone surrogate', { path: 'a\ud800' }],
    ['one in a name', { 'a\ud800': 1 }],
    ['what JSON has no word for', { path: undefined }],
    ['a number that is none', { path: Number.NaN }],
    ['more than anybody reads', { path: 'x'.repeat(2000) }],
  ])('proposes nothing for %s', (_, input) => {
    expect(proposeCondition(input)).toBeUndefined();
  });

  it('compiles, holds for its input and hides nothing, whatever the input', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    );
    const inputs = fc.dictionary(fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }), value, {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(inputs, (input) => {
        const condition = proposeCondition(input);
        fc.pre(condition !== undefined);
        expect(holds(condition, input)).toBe(true);
        expect(holds(condition, { ...input, 'one more': 1 })).toBe(false);
        expect(visibleText(condition).replaceAll('\\\\', '\\')).toBe(
          condition.replaceAll('\\\\', '\\'),
        );
      }),
      { numRuns: 100 },
    );
  });
});
