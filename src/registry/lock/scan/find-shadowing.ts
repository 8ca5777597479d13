/** A tool that passes for another one, or tells a model how to use or avoid tools that are not its own. */
import type { LockFinding } from '../../../contract/lock.ts';
import type { PlacedText } from './definition-texts.ts';
import type { NamedTool, NameIndex } from './name-index.ts';

const WORD = /[A-Za-z0-9][\w.:-]{0,127}/g;
/** A name that is an ordinary word counts only where it is marked as a name. */
const SPELLED_AS_NAME = /[_:]|[a-z][A-Z]|\w[.-]\w/;
const AROUND = 120;
const ORDER =
  /\b(?:must|always|never|instead|before|first|after|do not|don't|whenever|when(?:ever)? (?:using|calling|you)|prefer|rather than|replaces?|replaced|deprecated|obsolete|broken|unsafe|avoid|stop|disable|only use|bcc|recipient|behaviou?r|modif\w+|rules?|change how)\b/i;
const MAX_FOUND = 5;

const isMarked = (text: string, at: number, word: string): boolean => {
  const before = text.slice(Math.max(0, at - 6), at);
  const after = text.slice(at + word.length, at + word.length + 6);
  const quoted = /["'`“‘]$/.test(before) && /^["'`”’]/.test(after);
  return quoted || SPELLED_AS_NAME.test(word) || /^ tool\b/.test(after) || /\btool $/.test(before);
};

const mentions = (
  { path, text }: PlacedText,
  origin: string,
  names: NameIndex,
): readonly LockFinding[] => {
  const found: LockFinding[] = [];
  for (const { 0: whole, index } of text.matchAll(WORD)) {
    const word = whole.replace(/[.:-]+$/, '');
    const [other] = isMarked(text, index, word) ? names.called(word, origin) : [];
    if (!other) continue;
    const around = text.slice(Math.max(0, index - AROUND), index + word.length + AROUND);
    const isOrder = ORDER.test(around);
    found.push({
      kind: isOrder ? 'shadowed_name' : 'suspicious',
      path,
      message: `it ${isOrder ? 'gives orders about' : 'speaks of'} ${other.name}, a tool of ${other.origin}`,
    });
    if (found.length >= MAX_FOUND) break;
  }
  return found;
};

const impostures = (
  { name, origin, others }: NamedTool,
  names: NameIndex,
): readonly LockFinding[] => {
  const finding = (kind: LockFinding['kind'], path: string, message: string) => ({
    kind,
    path,
    message,
  });
  const twins = names.lookingLike(name, origin).slice(0, MAX_FOUND);
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

/** `tool` is known to the index by the same origin. */
export const findShadowing = (
  tool: NamedTool,
  texts: readonly PlacedText[],
  names: NameIndex,
): readonly LockFinding[] => [
  ...impostures(tool, names),
  ...texts.flatMap((text) => (text.path === 'name' ? [] : mentions(text, tool.origin, names))),
];
