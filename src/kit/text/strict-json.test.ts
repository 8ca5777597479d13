import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, SOUND } from '../../../test/fixtures/ambiguous-json.ts';
import { parseStrictJson } from './strict-json.ts';

describe('threat: JSON that two readers understand differently', () => {
  it.each(AMBIGUOUS)('the strict reader refuses %s', (_, text) => {
    expect(parseStrictJson(text)).toHaveProperty('flaw');
  });

  it.each(SOUND)('the strict reader takes %s as JSON.parse does', (_, text) => {
    expect(parseStrictJson(text)).toEqual({ value: JSON.parse(text) });
  });

  it('the strict reader checks two million escapes without filling the stack', () => {
    const text = `"${'\\n'.repeat(2_000_000)}"`;
    expect(parseStrictJson(text)).toHaveProperty('value');
  });
});
