/** Decides by `include` and `exclude` which operations become tools. */

/** Compares a name with a pattern in which `*` stands for any characters, in linear steps. */
const matches = (pattern: string, name: string): boolean => {
  const [start = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return pattern === name;
  const end = parts.pop() ?? '';
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  let at = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - end.length;
};

export interface NameFilter {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** A pattern is a name, or `query.` or `mutation.` and a name. Exclusion wins. */
export const nameFilter = ({ include, exclude = [] }: NameFilter) => {
  const isIn = (patterns: readonly string[], kind: string, name: string): boolean =>
    patterns.some((pattern) => matches(pattern, name) || matches(pattern, `${kind}.${name}`));
  return (kind: string, name: string): boolean =>
    (include === undefined || isIn(include, kind, name)) && !isIn(exclude, kind, name);
};
