/** The work of `edit_files` on one file: applies the edits, checks the result, and compares. */
import type { TextDiff } from '../../kit/text/unified-diff.ts';
import { applyEdits, type Edit, invalidEdit } from './apply-edits.ts';

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
  // `uniqueKeys` compares every key with every other, which takes too long in a large file.
  const options = { logLevel: 'silent', uniqueKeys: false } as const;
  return (text) => {
    try {
      return [...parseAllDocuments(text, options)].every(({ errors }) => errors.length === 0);
    } catch {
      return false;
    }
  };
};

/** Loads the parser of a JSON or YAML file; `undefined` for others. */
const loadParser = async (path: string): Promise<Parses | undefined> => {
  if (/\.json$/i.test(path)) return parsesAsJson;
  return /\.ya?ml$/i.test(path) ? loadYaml() : undefined;
};

/** Tells whether the text can be parsed; true also when it could not be parsed before. */
const stillParses = (parses: Parses, before: string, after: string): boolean =>
  parses(after) || !parses(before);

export interface EditJob {
  readonly path: string;
  readonly old: string;
  readonly edits: readonly Edit[];
  /** The position of the file in the call. */
  readonly index: number;
  readonly validate: boolean;
}

export interface EditedText extends TextDiff {
  readonly text: string;
  readonly replacements: number;
}

export const prepare = async ({ path, old, edits, index, validate }: EditJob) => {
  const { diffTexts } = await import('../../kit/text/unified-diff.ts');
  const parses = validate ? await loadParser(path) : undefined;
  return (): EditedText => {
    const { text, replacements } = applyEdits(old, edits, index);
    if (validate && text === old) {
      throw invalidEdit(index, 'The edits change nothing.', 'Leave the file out.');
    }
    if (parses && !stillParses(parses, old, text)) {
      throw invalidEdit(
        index,
        'The edits would break a file that can be parsed now.',
        'Correct the edits, or set validateChanges to false.',
      );
    }
    return { text, replacements, ...diffTexts(old, text) };
  };
};
