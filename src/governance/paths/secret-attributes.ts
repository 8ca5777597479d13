/**
 * The name tables as git attributes: for files that hold secrets git prints that they differ, and
 * never how. Laid over `info/attributes` of a repository, where nothing in the tree overrides them.
 */
import {
  CREDENTIAL_FILES,
  ENVIRONMENT_FILES,
  MODEL_ENDINGS,
  MODEL_FORMATS,
  type NameEntry,
  SECRET_FILES,
  SECRET_FOLDERS,
  SOURCE_ENDINGS,
} from './name-tables.ts';
import { sensitiveRule } from './sensitive-names.ts';
import {
  HARMLESS_WORDS,
  PROGRAM_FOLDERS,
  PROGRAM_NAMES,
  SECRET_DATA_FOLDERS,
  SECRET_WORDS,
  WORDED_ENDINGS,
  WORDED_FOLDERS,
} from './word-tables.ts';

/** Writes letters in both cases: git compares exactly. */
const anyCase = (name: string): string =>
  name.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** Makes a name match at any depth: git takes one with a slash from the top otherwise. */
const anywhere = (name: string): string => (name.includes('/') ? `**/${name}` : name);

const names = (entries: readonly NameEntry[]): readonly string[] => entries.map(([name]) => name);

/** Lists a name as a file, and as a folder with its content. */
const withContent = (entries: readonly NameEntry[]): readonly string[] =>
  names(entries).flatMap((name) => [anywhere(name), `**/${name}/**`]);

const endingIn = (entries: readonly NameEntry[], endings: readonly string[]): readonly string[] =>
  names(entries).flatMap((name) => endings.map((ending) => `${name}${ending}`));

/**
 * Lists the names that end in a star, which match names with any ending. Lists `shadow` with `shadow.*`,
 * because `shadow.*.ts` does not match `shadow.ts`.
 */
const openEnded = (entries: readonly NameEntry[]): readonly NameEntry[] =>
  entries
    .filter(([name]) => name.endsWith('*'))
    .flatMap(([name, why]) =>
      [...new Set([name, name.replace(/\.\*$/, '')])].map((each) => [each, why] as const),
    );

const hidden = (patterns: readonly string[]) => patterns.map((each) => `${anyCase(each)} -diff`);
const shown = (patterns: readonly string[]) => patterns.map((each) => `${anyCase(each)} !diff`);

/** Writes the attributes. Of several lines about one file, git takes the last. */
export const secretAttributes = (): string =>
  [
    ...hidden(names(SECRET_DATA_FOLDERS).map((name) => `**/${name}/**`)),
    ...shown(
      names(SECRET_DATA_FOLDERS).flatMap((name) =>
        SOURCE_ENDINGS.map((ending) => `**/${name}/**/*${ending}`),
      ),
    ),
    ...shown(
      names(WORDED_FOLDERS).flatMap((about) =>
        names(SECRET_DATA_FOLDERS).flatMap((name) => [
          `**/${about}/**/${name}/**`,
          `**/${name}/**/${about}/**`,
        ]),
      ),
    ),
    ...hidden(names(SECRET_WORDS)),
    ...shown(names(HARMLESS_WORDS)),
    ...shown(
      names(WORDED_FOLDERS).flatMap((name) =>
        names(SECRET_WORDS).map((word) => `**/${name}/**/${word}`),
      ),
    ),
    ...shown(
      names(PROGRAM_FOLDERS).flatMap((folder) =>
        names(PROGRAM_NAMES).map((name) => `**/${folder}/${name}`),
      ),
    ),
    // Git compares every file with every line, so there are none for names that end otherwise.
    ...shown(endingIn(openEnded(SECRET_WORDS), WORDED_ENDINGS)),
    ...hidden(withContent(CREDENTIAL_FILES)),
    ...shown(endingIn(CREDENTIAL_FILES, SOURCE_ENDINGS)),
    ...shown(SOURCE_ENDINGS.map((ending) => `**/credentials*/**/*${ending}`)),
    ...hidden(withContent(ENVIRONMENT_FILES)),
    ...shown(endingIn(ENVIRONMENT_FILES, MODEL_ENDINGS)),
    ...shown(MODEL_FORMATS.map((ending) => `*${ending}`)),
    ...hidden(withContent(SECRET_FILES)),
    ...hidden(withContent(SECRET_FOLDERS)),
    '',
  ].join('\n');

/** Writes the names as patterns of paths for git. They also find what only looks like a secret. */
export const secretPathspecs = (): readonly string[] =>
  [
    SECRET_WORDS,
    SECRET_DATA_FOLDERS,
    CREDENTIAL_FILES,
    ENVIRONMENT_FILES,
    SECRET_FILES,
    SECRET_FOLDERS,
  ]
    .flatMap(names)
    .flatMap((name) => [`**/${name}`, `**/${name}/**`])
    .map((pattern) => `:(top,icase,glob)${pattern}`);

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours stand before and after the line
const HEADER = /^(?:\u001b\[[\d;]*m)*diff --(?:git|cc|combined) (.+?)(?:\u001b\[[\d;]*m)*$/;
const WITHHELD = '[The change of a file that holds secrets is left out.]';

/** Lists the names in a header: `a/x b/x`, quoted where they are odd, or one name. */
const namesIn = (text: string): readonly string[] => {
  const plain = text.replaceAll('"', '');
  const middle = Math.floor(plain.length / 2);
  return [plain, plain.slice(0, middle), plain.slice(middle + 1), ...plain.split(' ')];
};

const isSecret = (name: string): boolean =>
  sensitiveRule({ above: [], below: name.split('/'), isFolder: false }) !== undefined;

/**
 * Removes the changes of files that hold secrets from the output of git, for sandboxes that cannot
 * lay attributes over the repository. Returns the same text where there is nothing to remove.
 */
export const withholdSecrets = (text: string): string => {
  if (!text.includes('diff --')) return text;
  let isHidden = false;
  return text
    .split('\n')
    .flatMap((line) => {
      const [, header] = HEADER.exec(line) ?? [];
      if (header !== undefined) {
        isHidden = namesIn(header).some(isSecret);
        return isHidden ? [line, WITHHELD] : [line];
      }
      // The next commit of a log ends the change of the last one.
      if (isHidden && /^commit [0-9a-f]{7,64}\b/.test(line)) isHidden = false;
      return isHidden ? [] : [line];
    })
    .join('\n');
};
