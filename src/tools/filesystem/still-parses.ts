/** Tells whether an edit broke a file that a program has to parse. */

type Parses = (text: string) => boolean;

const parsesAsJson: Parses = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const loadYaml = async (): Promise<Parses> => {
  const { parseAllDocuments } = await import('yaml');
  // Comparing each key with each other would take too long in a large file.
  const options = { logLevel: 'silent', uniqueKeys: false } as const;
  return (text) => {
    try {
      return [...parseAllDocuments(text, options)].every(({ errors }) => errors.length === 0);
    } catch {
      return false;
    }
  };
};

/** The parser of a JSON or YAML file; none for others. */
export const loadParser = async (path: string): Promise<Parses | undefined> => {
  if (/\.json$/i.test(path)) return parsesAsJson;
  return /\.ya?ml$/i.test(path) ? loadYaml() : undefined;
};

/** False only for a text that could be parsed before and cannot be any more. */
export const stillParses = (parses: Parses, before: string, after: string): boolean =>
  parses(after) || !parses(before);
