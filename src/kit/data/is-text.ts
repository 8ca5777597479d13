/** Tells texts from everything else. */

/** Tells whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === 'string';

/** Returns a value that is a text, and an empty one for all others. */
export const textOf = (value: unknown): string => (isText(value) ? value : '');
