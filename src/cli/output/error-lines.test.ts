import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { toolError } from '../../contract/errors.ts';
import { errorLines } from './error-lines.ts';

const plain = pc.createColors(false);

describe('errorLines', () => {
  it('says what is wrong, where, and what to do next', () => {
    const error = toolError('VALIDATION_ERROR', 'Two fields are wrong.', {
      issues: [
        { path: ['a', 0, 'b'], message: 'expected a number' },
        { path: [], message: 'unknown key' },
      ],
      suggestions: ['Look at the schema.'],
    });
    expect(errorLines(error, plain)).toEqual([
      '✗ VALIDATION_ERROR: Two fields are wrong.',
      '  a.0.b: expected a number',
      '  (whole input): unknown key',
      '  → Look at the schema.',
    ]);
  });

  it('does not say the same thing twice', () => {
    const issues = [{ path: ['a'], message: 'expected a number' }];
    const error = toolError('VALIDATION_ERROR', 'a: expected a number', { issues });
    expect(errorLines(error, plain)).toHaveLength(1);
  });

  it('names the cause of exhausted retries, and makes control characters visible', () => {
    const error = toolError('MAX_RETRIES_EXCEEDED', 'x\u001b[2J', { cause: 'NETWORK' });
    expect(errorLines(error, plain)).toEqual([
      '✗ MAX_RETRIES_EXCEEDED: x␛[2J',
      '  last attempt: NETWORK',
    ]);
  });
});
