/** Tells texts from everything else. */

/** Tells whether a value is a text. */
export const isText = (value: unknown): value is string => typeof value === 'string';
