/** Tells URLs from paths and bare hosts. */

/** Tells whether a text begins with a scheme and two slashes, as in `https://`. */
export const hasScheme = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
