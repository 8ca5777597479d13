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
    const both = [...issues, { path: [], message: 'Too much.' }];
    const two = toolError('VALIDATION_ERROR', 'a: expected a number; Too much.', { issues: both });
    expect(errorLines(two, plain)).toHaveLength(1);
  });

  it('says how to look at the call of which nobody knows whether it took effect', () => {
    const error = toolError('CONFLICT', 'Nobody knows.', {
      inDoubt: 'x0mwo9hj',
      suggestions: ['Check what it did.'],
    });
    expect(errorLines(error, plain)).toEqual([
      '✗ CONFLICT: Nobody knows.',
      '  → Look what it did: toolcrib audit show x0mwo9hj',
      '  → Check what it did.',
    ]);
  });

  it('calls no file of settings an input', () => {
    const issues = [{ path: [], message: 'ends too early (config.yml:2:1)' }];
    const error = toolError('CONFIG_INVALID', 'The configuration is not valid.', { issues });
    expect(errorLines(error, plain)[1]).toBe('  ends too early (config.yml:2:1)');
  });

  it('names the cause of exhausted retries, and makes control characters visible', () => {
    const error = toolError('MAX_RETRIES_EXCEEDED', 'x\u001b[2J', { cause: 'NETWORK' });
    expect(errorLines(error, plain)).toEqual([
      '✗ MAX_RETRIES_EXCEEDED: x␛[2J',
      '  last attempt: NETWORK',
    ]);
  });
});
