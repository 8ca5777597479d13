import { describe, expect, it } from 'vitest';
import { callSummary, summaryOfRow } from './call-summary.ts';

const of = (input: unknown, action = 'write', targets: readonly string[] = []): string =>
  callSummary({ tool: 'files', action, targets, input });

describe('callSummary', () => {
  it('says the action, the target and the input, the telling fields first', () => {
    expect(of({ mode: 'w', path: 'a.txt' }, 'write', ['file:/w/a.txt'])).toBe(
      'write · file:/w/a.txt · path: a.txt, mode: w',
    );
    expect(of({ expression: '1+1' }, 'files')).toBe('expression: 1+1');
  });

  it('makes every character visible that could hide something', () => {
    const shown = of({ command: 'ls\u001b[2J\n\u202e\u200b\tx' }, '\u0007');
    expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(shown).toContain('\\u001b[2J\\n\\u202e\\u200b\\tx');
  });

  it('is bounded, whatever the call holds, and counts fields and targets it leaves out', () => {
    const many = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, n]));
    expect(of(many)).toContain('and 2994 more');
    const targets = Array.from({ length: 9 }, (_, n) => `file:/${n}`);
    expect(of({}, 'write', targets)).toBe('write · file:/0, file:/1, and 7 more');
    for (const input of [{ ['k'.repeat(9e5)]: 'v'.repeat(9e5) }, '\u0000'.repeat(9e5), [many]]) {
      expect(of(input).length).toBeLessThanOrEqual(200);
    }
  });

  it.each([
    [undefined, 'write'],
    [null, 'write · null'],
    [[1, 'a', {}, true], 'write · [1, a, …, … 4 items]'],
    [{ a: { b: 1 }, c: [], d: undefined }, 'write · a: {…}, c: []'],
  ])('of the input %j', (input, text) => {
    expect(of(input)).toBe(text);
  });

  it('returns the recorded summary of a row, or makes one from the recorded input', () => {
    expect(summaryOfRow({ tool: 't', detail: { summary: 'x\u0000' } })).toBe('x\\u0000');
    expect(summaryOfRow({ tool: 't', detail: { input: { expression: '2*3' } } })).toBe(
      'expression: 2*3',
    );
    expect(summaryOfRow({ tool: 't', detail: {} })).toBe('');
  });
});
