/** Scans a definition from outside for hidden orders, hidden text and imitation of other tools. */
import type { LockFinding } from '../../../contract/lock.ts';
import type { Visible } from '../visible.ts';
import { findConcealed } from './find-concealed.ts';
import { findInstructions } from './find-instructions.ts';
import { findInvisible } from './find-invisible.ts';
import { findUnchecked } from './find-unchecked.ts';
import type { NamedTool, NameIndex } from './name-index.ts';

export interface ScanDeps {
  readonly tool: NamedTool;
  readonly names: NameIndex;
  readonly visible: Visible;
}

const MAX_CHARACTERS = 300_000;
const MAX_FINDINGS = 50;
const TOO_LONG: LockFinding = {
  kind: 'hidden_instruction',
  path: '',
  message: `it holds more than ${MAX_CHARACTERS} characters of text, too many to look through`,
};

const rank = ({ kind }: LockFinding): number => (kind === 'suspicious' ? 1 : 0);

/** Lists the findings, the worst first. Takes time in proportion to the text, up to a limit. */
export const scanDefinition = (
  definition: unknown,
  { tool, names, visible }: ScanDeps,
): readonly LockFinding[] => {
  const texts = definitionTexts(definition);
  const length = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (length > MAX_CHARACTERS) return [TOO_LONG];
  const findings = texts.flatMap(({ path, text }) => [
    ...findInvisible(text, path, visible),
    ...findInstructions(text, path, visible),
    ...findConcealed(text, path, visible),
  ]);
  return [...findings, ...findShadowing(tool, texts, names), ...findUnchecked(definition)]
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_FINDINGS);
};

/** Tells whether a finding is reason enough to hold the tool. */
export const isGrave = (findings: readonly LockFinding[]): boolean =>
  findings.some((finding) => rank(finding) === 0);

interface PlacedText {
  readonly path: string;
  readonly text: string;
}

const NAME_LIKE = /^[\w$.:-]{1,64}$/;

const pathTo = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`;
  const shown = NAME_LIKE.test(key) ? key : '?';
  return path === '' ? shown : `${path}.${shown}`;
};

const collect = (path: string, value: unknown, texts: PlacedText[]): void => {
  if (typeof value === 'string') texts.push({ path, text: value });
  if (typeof value !== 'object' || value === null) return;
  const pairs = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of pairs) {
    const inner = pathTo(path, key);
    if (typeof key === 'string' && !NAME_LIKE.test(key)) texts.push({ path: inner, text: key });
    collect(inner, member, texts);
  }
};

/**
 * Lists every text that a model might read: values, and keys that are more than names. Recurses: bound the data
 * first.
 */
const definitionTexts = (definition: unknown): readonly PlacedText[] => {
  const texts: PlacedText[] = [];
  collect('', definition, texts);
  return texts;
};

const WORD = /[A-Za-z0-9][\w.:-]{0,127}/g;
/** A name that is an ordinary word counts only where it is written as a name. */
const SPELLED_AS_NAME = /[_:]|[a-z][A-Z]|\w[.-]\w/;
const CONTEXT = 120;
const ORDER =
  /\b(?:must|always|never|instead|before|first|after|do not|don't|whenever|when(?:ever)? (?:using|calling|you)|prefer|rather than|replaces?|replaced|deprecated|obsolete|broken|unsafe|avoid|stop|disable|only use|bcc|recipient|behaviou?r|modif\w+|rules?|change how)\b/i;
const MAX_MENTIONS = 5;

const isMarked = (text: string, at: number, word: string): boolean => {
  const before = text.slice(Math.max(0, at - 6), at);
  const after = text.slice(at + word.length, at + word.length + 6);
  const quoted = /["'`“‘]$/.test(before) && /^["'`”’]/.test(after);
  return quoted || SPELLED_AS_NAME.test(word) || /^ tool\b/.test(after) || /\btool $/.test(before);
};

const findMentions = (
  { path, text }: PlacedText,
  origin: string,
  names: NameIndex,
): readonly LockFinding[] => {
  const findings: LockFinding[] = [];
  for (const { 0: whole, index } of text.matchAll(WORD)) {
    const word = whole.replace(/[.:-]+$/, '');
    const [other] = isMarked(text, index, word) ? names.called(word, origin) : [];
    if (!other) continue;
    const around = text.slice(Math.max(0, index - CONTEXT), index + word.length + CONTEXT);
    const isOrder = ORDER.test(around);
    findings.push({
      kind: isOrder ? 'shadowed_name' : 'suspicious',
      path,
      message: `it ${isOrder ? 'gives orders about' : 'speaks of'} ${other.name}, a tool of ${other.origin}`,
    });
    if (findings.length >= MAX_MENTIONS) break;
  }
  return findings;
};

const findImitations = (
  { name, origin, others }: NamedTool,
  names: NameIndex,
): readonly LockFinding[] => {
  const finding = (kind: LockFinding['kind'], path: string, message: string) => ({
    kind,
    path,
    message,
  });
  const twins = names.lookingLike(name, origin).slice(0, MAX_MENTIONS);
  const claimed = others.flatMap((other) => names.called(other, origin).slice(0, 1));
  return [
    ...twins.map((twin) =>
      finding(
        'shadowed_name',
        'name',
        `the name looks like ${twin.name}, a tool of ${twin.origin}`,
      ),
    ),
    ...claimed.map((twin) =>
      finding('suspicious', 'name', `it has the name of ${twin.name}, a tool of ${twin.origin}`),
    ),
  ];
};

/** Finds imitation of other tools, and orders about them. The index must hold `tool` under its origin. */
const findShadowing = (
  tool: NamedTool,
  texts: readonly PlacedText[],
  names: NameIndex,
): readonly LockFinding[] => [
  ...findImitations(tool, names),
  ...texts.flatMap((text) => (text.path === 'name' ? [] : findMentions(text, tool.origin, names))),
];
