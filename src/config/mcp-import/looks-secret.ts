/** Detects likely credentials by name or by form. When in doubt a value is one. */

const NAME =
  /(?:^|[_\-.])(?:api[_-]?key|key|token|secret|password|passwd|pass|pwd|pat|auth|authorization|bearer|credentials?|cookie|session|dsn|private)(?:$|[_\-.\d])|(?:key|token|secret|password)$/i;

const FORMS: readonly RegExp[] = [
  /^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|npm|hf|pplx|AKIA|ASIA|AIza|ya29|SG|shp(?:at|ss))[-_.A-Za-z0-9]/,
  /^eyJ[A-Za-z0-9_-]{8,}\./,
  /^(?:Bearer|Basic|Token)\s+\S+/i,
  /:\/\/[^/\s:@]*:[^/\s@]+@/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

/**
 * Recognises a long mix of letters and digits, without characters of a path, an address or a
 * sentence.
 */
const isDense = (value: string): boolean =>
  /^[A-Za-z0-9+=_-]{24,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);

const REFERENCES = /\$\{[^}]+\}/g;

export const looksSecret = (name: string, value: string): boolean => {
  const text = value.replaceAll(REFERENCES, '');
  // The text around a reference is judged without the name, which is about the whole value.
  if (text !== value) return FORMS.some((form) => form.test(text)) || isDense(text);
  if (value === '') return false;
  if (/^(?:true|false|\d{1,6})$/i.test(value)) return false;
  return NAME.test(name) || FORMS.some((form) => form.test(value)) || isDense(value);
};

/** Checks an argument of a program; its name comes first, as in `--api-key=…` or `--api-key …`. */
export const argumentLooksSecret = (value: string, before: string | undefined): boolean => {
  const [, flag, inline] = /^-{1,2}([\w-]+)=(.+)$/s.exec(value) ?? [];
  if (flag !== undefined && inline !== undefined) return looksSecret(flag, inline);
  const flagBefore = /^-{1,2}([\w-]+)$/.exec(before ?? '')?.[1];
  return !value.startsWith('-') && looksSecret(flagBefore ?? '', value);
};
