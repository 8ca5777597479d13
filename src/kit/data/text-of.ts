/** Returns a value that is a text, and an empty one for all others. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
