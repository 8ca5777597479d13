/** Takes secrets out of the name of a caller, and leaves the caller recognizable. */

/** Begins the names of callers that hold a token; the name that the token was given follows. */
const TOKEN = 'token:';

/** A text such as `token:ci-2` is otherwise taken for a token that somebody wrote down. */
export const redactedCaller = (
  name: string,
  redactor: { readonly text: (value: string) => string },
): string =>
  name.startsWith(TOKEN)
    ? `${TOKEN}${redactor.text(name.slice(TOKEN.length))}`
    : redactor.text(name);
