/** Parses URLs without an exception for those that are none. */

/** Parses a URL; `undefined` for a text that is none. */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};
