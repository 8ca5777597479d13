/** Describes how the definition of a tool differs from the one that was accepted last, line by line. */
import type { LockEntry } from '../../contract/lock.ts';
import { diffTexts } from '../../kit/text/unified-diff.ts';
import type { Visible } from './visible.ts';

/** Text longer than this is shown over several lines. */
const MAX_WIDTH = 100;
const PLAIN_KEY = /^[\w$-]+$/;
const SENTENCE_END = /(?<=[.!?;:])(?= )/;

const below = (path: string, key: string | number, { text }: Visible): string => {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!PLAIN_KEY.test(key)) return `${path}[${text(JSON.stringify(key))}]`;
  return path === '' ? key : `${path}.${key}`;
};

const textLines = (path: string, value: string, visible: Visible): readonly string[] => {
  const parts = value.length > MAX_WIDTH ? value.split(SENTENCE_END).join('\n') : value;
  const lines = visible.lines(parts);
  return lines.length === 1
    ? [`${path}: "${lines[0]}"`]
    : [`${path}:`, ...lines.map((line) => `  | ${line}`)];
};

const linesAt = (path: string, value: unknown, visible: Visible): readonly string[] => {
  if (typeof value === 'string') return textLines(path, value, visible);
  if (typeof value !== 'object' || value === null) return [`${path}: ${JSON.stringify(value)}`];
  const pairs = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  if (pairs.length === 0) return [`${path}: ${Array.isArray(value) ? '[]' : '{}'}`];
  return pairs.flatMap(([key, member]) => linesAt(below(path, key, visible), member, visible));
};

const definitionLines = (definition: unknown, visible: Visible): readonly string[] =>
  linesAt('', definition, visible);

const headOf = (before: LockEntry | undefined, { text }: Visible): string =>
  before
    ? `--- accepted ${text(before.acceptedAt)} by ${text(before.acceptedBy)}`
    : '--- not known';

/** Shown padding is counted, not written out, so a change of padding alone leaves no changed line. */
const BLANKS_ONLY = '+ the definitions differ in blanks alone';

const asText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Writes what a person reads before accepting: the difference to the definition accepted last. */
export const describeChange = (
  before: LockEntry | undefined,
  definition: unknown,
  visible: Visible,
): string => {
  const oldLines = before ? definitionLines(before.definition, visible) : [];
  const { hunks } = diffTexts(asText(oldLines), asText(definitionLines(definition, visible)));
  return `${headOf(before, visible)}\n+++ now\n${hunks.slice(0, -1) || BLANKS_ONLY}`;
};
