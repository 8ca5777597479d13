import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { thrownError } from './thrown-error.ts';

describe('the error of what a flow or a handler threw', () => {
  it('keeps code, message and partial result of a failure with a code', () => {
    const partial = { sent: 2 };
    const failure = new ToolFailure('CONFLICT', 'The third is taken.', { partial });
    expect(thrownError(failure)).toMatchObject({
      ...{ code: 'CONFLICT', message: 'The third is taken.', partial },
    });
  });

  it('leaves out a partial result that JSON cannot hold', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const error = thrownError(new ToolFailure('CONFLICT', 'Taken.', { partial: circle }));
    expect(error).toMatchObject({ code: 'CONFLICT', message: 'Taken.' });
    expect(error).not.toHaveProperty('partial');
  });

  it.each([
    ['a plain error', new Error('no'), 'no'],
    ['a text', 'no', 'no'],
    [
      'a code that is in no table',
      Object.assign(new Error('no'), { code: 'ODD', extras: {} }),
      'no',
    ],
  ])('is EXECUTION_FAILED for %s', (_what, thrown, message) => {
    expect(thrownError(thrown)).toMatchObject({ code: 'EXECUTION_FAILED', message });
  });

  it.each([
    ['nothing', undefined],
    ['extras that are null', Object.assign(new Error('no'), { code: 'CONFLICT', extras: null })],
    [
      'an object that throws when it is read',
      new Proxy(new Error('no'), {
        get: () => {
          throw new Error('hostile');
        },
      }),
    ],
  ])('does not throw for %s', (_what, thrown) => {
    expect(thrownError(thrown).code).toMatch(/^[A-Z_]+$/);
  });
});
