/**
 * Checks names and values of secrets. The rule is the same for all sources, so that a secret can
 * move between them.
 */
import { ToolFailure } from '../contract/errors.ts';

const KEY = /^[A-Za-z_][A-Za-z0-9_.:@/-]{0,127}$/;

/** Fails with VALIDATION_ERROR for a name that some source could not keep. */
export const assertSecretKey = (key: string): void => {
  if (KEY.test(key) && key !== '__proto__') return;
  throw new ToolFailure('VALIDATION_ERROR', 'This is no name for a secret.', {
    suggestions: [
      'Use 1 to 128 letters, digits and _ . : @ / -, starting with a letter, e.g. STRIPE_SECRET_KEY.',
    ],
  });
};

/** Fails with VALIDATION_ERROR for a value that holds nothing. */
export const assertSecretValue = (value: string): void => {
  if (value !== '') return;
  throw new ToolFailure('VALIDATION_ERROR', 'The value is empty.', {
    suggestions: ['Remove the secret if it is no longer needed.'],
  });
};
