/**
 * Reads texts that are written as base64 or hex inside a text, such as a file that was read as bytes,
 * so that secrets of any shape are found in them and cut out of what was written.
 */
import type { View } from './escape-view.ts';
import { base64Runs } from './keys/base64-runs.ts';
import type { Span } from './span.ts';

const SAMPLE = 512;
/** Of a hundred bytes. Bytes that are no text have eleven on average. */
const MAX_CONTROLS_PERCENT = 3;
const HEX = /^(?:[0-9a-f]+|[0-9A-F]+)$/;
/** The last line of a wrapped text, and padding. */
const REST = /(?:\r?\n[ \t]{0,32}[A-Za-z0-9+/]{1,76})?={0,2}(?![A-Za-z0-9+/_-])/y;
const WRAP = /^\r?\n[ \t]{0,32}$/;

/** Lines that are one encoded text. */
type Group = Span[];

const groupsOf = (text: string, runs: readonly Span[]): readonly Group[] => {
  const groups: Group[] = [];
  for (const run of runs) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isWrapped = last && run.from - last.to < 36 && WRAP.test(text.slice(last.to, run.from));
    if (group && isWrapped) group.push(run);
    else groups.push([run]);
  }
  return groups;
};

/** Adds the last line of a wrapped text, which may be short. */
const withRest = (text: string, group: Group): readonly Span[] => {
  const last = group.at(-1) as Span;
  REST.lastIndex = last.to;
  if (group.length === 1 || !REST.test(text)) return group;
  const line = text.slice(last.to, REST.lastIndex);
  const from = last.to + line.search(/[A-Za-z0-9+/=]|$/);
  return [...group, { from, to: REST.lastIndex }];
};

const isText = (decoded: string): boolean => {
  const length = Math.min(decoded.length, SAMPLE);
  let controls = 0;
  for (let at = 0; at < length; at++) {
    const code = decoded.charCodeAt(at);
    if (code < 32 && code !== 0 && (code < 9 || code > 13)) controls++;
  }
  return controls * 100 <= length * MAX_CONTROLS_PERCENT || decoded.includes('PRIVATE KEY-----');
};

/** Tells where the character with a given number stands in the lines. */
const placesIn = (lines: readonly Span[]): ((index: number) => number) => {
  const starts: number[] = [];
  let length = 0;
  for (const { from, to } of lines) {
    starts.push(length);
    length += to - from;
  }
  return (index) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= index) low = middle;
      else high = middle;
    }
    const { from, to } = lines[low] as Span;
    return Math.min(from + index - (starts[low] as number), to - 1);
  };
};

const viewOf = (text: string, lines: readonly Span[]): View | undefined => {
  const written = lines.map(({ from, to }) => text.slice(from, to)).join('');
  const isHex = HEX.test(written);
  const decoded = Buffer.from(written, isHex ? 'hex' : 'base64').toString('latin1');
  if (!isText(decoded)) return undefined;
  const [bytes, chars] = isHex ? [1, 2] : [3, 4];
  const placeOf = placesIn(lines);
  return {
    text: decoded,
    origin: ({ from, to }) => ({
      from: placeOf(Math.floor(from / bytes) * chars),
      to: placeOf(Math.ceil(to / bytes) * chars - 1) + 1,
    }),
  };
};

/** Decodes the texts that stand in a text as base64 or hex. */
export const decodedTexts = (text: string): readonly View[] => {
  const runs = base64Runs(text);
  if (!runs) return [];
  return groupsOf(text, runs)
    .map((group) => viewOf(text, withRest(text, group)))
    .filter((view) => view !== undefined);
};
