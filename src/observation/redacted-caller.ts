/** Redacts the name of a caller so that the caller stays recognizable. */

/** The beginning of the names of callers with a token; the name of the token follows. */
const TOKEN = 'token:';

/** Redacts a name. The prefix is kept apart, because the redactor would take `token:ci-2` for a secret token. */
export const redactedCaller = (
  name: string,
  redactor: { readonly text: (value: string) => string },
): string =>
  name.startsWith(TOKEN)
    ? `${TOKEN}${redactor.text(name.slice(TOKEN.length))}`
    : redactor.text(name);
