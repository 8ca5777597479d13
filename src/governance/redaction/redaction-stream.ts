/**
 * Redacts a text that comes in pieces. As much is held back as a secret could reach into what has not
 * come yet, and as much of the past is remembered as tells what a piece means.
 */
import type { Columns } from './csv-columns.ts';
import { cutBefore } from './cut-text.ts';
import type { SecretFinder } from './secret-finder.ts';
import { replaceSpans, type Span } from './span.ts';

export interface RedactionStream {
  /** Takes the next piece; returns what can be shown by now, clean. */
  push(chunk: string): string;
  /** Returns what is held back, clean as far as it can be told; it stays held. */
  peek(): string;
  /** Returns the rest, clean. */
  end(): string;
}

/** Each character of a secret may be written as `\uXXXX`; lines may be broken and indented. */
const ESCAPED_LENGTH = 6;
const MIN_HELD = 512;
/** A token without a space up to this long is looked at as a whole. */
const MAX_TOKEN_LENGTH = 8192;
const MAX_KEY_BLOCK_LENGTH = 16_384;
/** Beyond this the text goes on in parts, whatever it is. */
const MAX_HELD = 65_536;

/** Finds the last place at or before `limit` that is not inside a word, unless the word has no end. */
const wordStart = (text: string, limit: number): number => {
  for (let at = limit; at > limit - MAX_TOKEN_LENGTH; at--) {
    if (at <= 0) return 0;
    if (text.charCodeAt(at) <= 32) return at;
  }
  return limit;
};

/** Finds the start of a private key whose end has not come yet. */
const keyBlockStart = (text: string, cut: number): number => {
  const start = text.lastIndexOf('-----BEGIN ', cut);
  const open =
    start >= 0 && cut - start < MAX_KEY_BLOCK_LENGTH && !text.includes('-----END ', start);
  return open ? start : cut;
};

/** Finds up to where the text can be shown: no secret may lie across. */
const safeCut = (text: string, limit: number, spans: readonly Span[]): number => {
  if (text.length > MAX_HELD) return limit;
  let cut = keyBlockStart(text, wordStart(text, limit));
  for (const { from, to } of spans.toReversed()) {
    if (from < cut && to > cut) cut = from;
  }
  return cut;
};

/** Finds where the past starts: with a whole line, and with the first one of a block of base64. */
const pastStart = (text: string, at: number): number => {
  const start = cutBefore(text, at);
  return at - start <= MAX_KEY_BLOCK_LENGTH ? start : text.lastIndexOf('\n', at - 1) + 1;
};

export const redactionStream = (finder: SecretFinder, instead: string): RedactionStream => {
  /** What was shown last, as it came: the next piece is read in this context. */
  let past = '';
  let held = '';
  /** The columns that the first line named, once that line has gone out of sight. */
  let columns: Columns | undefined;
  let isBegun = false;

  const show = (upTo: (text: string, spans: readonly Span[]) => number): string => {
    const text = past + held;
    const spans = isBegun ? finder.findRest(text, columns) : finder.find(text);
    const cut = Math.max(past.length, upTo(text, spans));
    const due = spans
      .filter(({ from, to }) => to > past.length && from < cut)
      .map(({ from, to }) => ({ from: Math.max(from, past.length), to: Math.min(to, cut) }));
    const shown = replaceSpans(text.slice(0, cut), due, instead).slice(past.length);
    held = text.slice(cut);
    const start = pastStart(text, cut - MIN_HELD - finder.known.longest);
    if (start > 0 && !isBegun) {
      columns = finder.columnsOf(text);
      isBegun = true;
    }
    past = text.slice(start, cut);
    return shown;
  };

  return {
    push: (chunk) => {
      held += chunk;
      const keep = MIN_HELD + finder.known.longest * ESCAPED_LENGTH;
      if (held.length <= keep) return '';
      return show((text, spans) => safeCut(text, text.length - keep, spans));
    },
    peek: () => {
      const before = { past, held, columns, isBegun };
      const shown = show((text) => text.length);
      ({ past, held, columns, isBegun } = before);
      return shown;
    },
    end: () => show((text) => text.length),
  };
};
