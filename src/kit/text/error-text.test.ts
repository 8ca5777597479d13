import { describe, expect, it } from 'vitest';
import { toolError } from '../../contract/errors.ts';
import { errorText } from './error-text.ts';

describe('the text of an error', () => {
  it('tells a model what was done before a composed tool failed', () => {
    const partial = { results: [{ tool: 'search', success: true }] };
    const text = errorText(toolError('NETWORK', 'Part 2 failed.', { partial }));
    expect(text).toContain(
      'What was done before it failed: {"results":[{"tool":"search","success":true}]}',
    );
  });

  it('cuts what is long', () => {
    const text = errorText(toolError('NETWORK', 'No.', { partial: 'x'.repeat(10_000) }));
    expect(text.length).toBeLessThan(4500);
  });
});
