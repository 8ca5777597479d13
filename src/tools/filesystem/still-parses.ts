/** Tells whether an edit broke a file that a program has to parse. */

type Parses = (text: string) => boolean | Promise<boolean>;

const parsesAsJson: Parses = (text) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const parsesAsYaml: Parses = async (text) => {
  const { parseAllDocuments } = await import('yaml');
  // Comparing each key with each other would take too long in a large file.
  const options = { logLevel: 'silent', uniqueKeys: false } as const;
  try {
    return [...parseAllDocuments(text, options)].every(({ errors }) => errors.length === 0);
  } catch {
    return false;
  }
};

const PARSERS: readonly (readonly [ending: RegExp, parses: Parses])[] = [
  [/\.json$/i, parsesAsJson],
  [/\.ya?ml$/i, parsesAsYaml],
];

/** False only for a JSON or YAML file that could be parsed before and cannot be any more. */
export const stillParses = async (
  path: string,
  before: string,
  after: string,
): Promise<boolean> => {
  const parses = PARSERS.find(([ending]) => ending.test(path))?.[1];
  return parses === undefined || (await parses(after)) || !(await parses(before));
};
