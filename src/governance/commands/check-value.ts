/**
 * Checks that the known value of an option or operand has the kind that the rule of its program
 * requires.
 */
import { onlyPrints } from './awk-program.ts';
import { judgePath, type PathJudge } from './judge-path.ts';
import type { ValueKind } from './program-rule.ts';

const PRINTF_STORES = /%[^%a-zA-Z]*n/;
const SHAPES: Readonly<Partial<Record<ValueKind, RegExp>>> = {
  number: /^[+-]?\d+(?:\.\d+)?[A-Za-z]{0,2}$/,
  word: /^[A-Za-z0-9][\w.:@/-]*$/,
  // The name of a remote. A path would be a repository that runs its own hooks.
  remote: /^[A-Za-z0-9][\w-]*(?:\.[\w-]+)*$/,
  // A name, or where it goes: on the remote to the same name, from there to the branches of a remote.
  refspec:
    /^(?:[A-Za-z0-9][\w./-]*|(refs\/(?:heads|tags)\/[\w./@+-]+):\1|\+refs\/heads\/(\*|[\w./@+-]+):refs\/remotes\/[\w.-]+\/\2)$/,
  empty: /^$/,
  // What git lists of a reference. `%(raw)` is the content of the object that it names.
  fields: /^(?!.*raw)/is,
  mode: /^(?:0?[0-7]{3}|[ugoa]*[-+=][rwxX]+)$/,
  url: /^https?:\/\/[^@\\]+$/,
  // Of the registry, perhaps with a version, a range or a tag: no folder, archive, repository, address
  // or alias. A word that npm takes for the value of the flag before it is no package either.
  package:
    /^(?!(?:true|false|null|undefined)$)(?!.*\.(?:tgz|tar|tar\.gz)$)(?:@[a-z0-9][a-z0-9._~-]*\/)?[a-z0-9_][a-z0-9._~-]*(?:@[\w^~<>=*][\w.^~<>=|*+ -]*)?$/i,
  dependencies: /^(?:dev|optional|peer|prod)$/,
  header: /^[A-Za-z0-9-]+:/,
  stamp: /^\+/,
  // A positive filter makes rg look into hidden files too, so it has to name an ending.
  filter:
    /^!|^(?:[\w@*-][\w.@*-]*\/)*[\w@*-][\w.@*-]*\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|mdx?|txt|html|s?css|json|ya?ml|toml|sql|csv|\{[cmjtsxpyho,]+\})$/,
};

/**
 * Accepts programs of sed without commands that run or write: line selection, `p d q =`, and `s`
 * with the usual flags. A delimiter inside brackets is refused, because implementations of sed
 * disagree about it.
 */
const between = (end: string): string =>
  String.raw`(?:[^${end}\\\n[]|\\[^\n]|\[\^?\]?[^\]\\${end}\n]*\])*`;
const ADDRESS = String.raw`(?:\d+|\$|\/${between('/')}\/I?)`;
const SUBSTITUTE = ['/', '|', '#', ',']
  .map((end) => `[${end}]${between(end)}[${end}](?:[^${end}\\\\\\n]|\\\\[^\\n])*[${end}]`)
  .join('|');
const SED_COMMAND = `(?:${ADDRESS}(?:,[+~]?${ADDRESS})?)? ?!? ?(?:[pdqQ=]|s(?:${SUBSTITUTE})[gpiI0-9]*)`;
const MAX_SED_LENGTH = 1_000;
const SED = new RegExp(`^${SED_COMMAND}(?: ?; ?${SED_COMMAND})* ?;?$`);

const JQ = /(?<![.\w])(?:env|ENV)\b|\b(?:import|include|modulemeta)\b/;

/** Judges a word that may be a path. Branches are looked up only for one that no path may have. */
const judgeNameOrPath = (text: string, path: string, judge: PathJudge): void => {
  try {
    judgePath(path, 'read', judge);
  } catch (error) {
    if (!judge.bases.every((base) => judge.namesBranches?.(text, base))) throw error;
  }
};

/** Accepts a revision, a path, or both with a colon; no transport (`ext::`) that runs programs. */
const isRevision = (text: string, judge: PathJudge): boolean => {
  if (text === '' || /^[-+]|::|:\/\//.test(text)) return false;
  const plain = text.replace(/^:/, '');
  if (plain !== '') judgeNameOrPath(text, plain, judge);
  for (const path of text.split(':').slice(1)) {
    // Behind a colon git starts at the top of the repository unless the path starts with a dot.
    const bases = /^\.{1,2}\//.test(path) ? judge.bases : [...judge.bases, judge.root];
    if (path !== '') judgePath(path, 'read', { ...judge, bases });
  }
  return true;
};

/**
 * Tells whether the text has the kind; kinds of path are judged elsewhere. Throws a `Refusal` for a
 * revision that names a file out of reach.
 */
export const hasKind = (text: string, kind: ValueKind, judge: PathJudge): boolean => {
  switch (kind) {
    case 'revision':
      return isRevision(text, judge);
    case 'archive':
      judgePath(text, 'read', judge);
      // tar takes what stands before a colon for a machine and starts a remote shell.
      return !text.includes(':');
    case 'format':
      return !text.startsWith('-') && !PRINTF_STORES.test(text);
    case 'sed':
      return text.length <= MAX_SED_LENGTH && SED.test(text);
    case 'awk':
      return onlyPrints(text);
    case 'jq':
      return !JQ.test(text);
    default:
      return SHAPES[kind]?.test(text) ?? true;
  }
};
