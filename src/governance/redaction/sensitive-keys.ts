/** Tells the names of fields whose values nobody needs in a record, in any spelling. */

/** Keys come from callers: what is remembered about them must not grow with them. */
const MAX_REMEMBERED = 1000;

/** `apiKey`, `api_key` and `API-KEY` are one key. */
const plainKey = (key: string): string => key.replaceAll(/[^a-zA-Z0-9]/g, '').toLowerCase();

export const sensitiveKeys = (names: readonly string[]): ((key: string) => boolean) => {
  const wanted = new Set(names.map(plainKey));
  const seen = new Map<string, boolean>();
  return (key) => {
    let answer = seen.get(key);
    if (answer === undefined) {
      answer = wanted.has(plainKey(key));
      if (seen.size < MAX_REMEMBERED) seen.set(key, answer);
    }
    return answer;
  };
};
