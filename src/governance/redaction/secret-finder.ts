/** Finds secrets in a text: known values and well-known shapes, as they are and behind escapes. */
import { AssignedSecrets } from './assigned-secrets.ts';
import { findCommandSecrets, MIN_COMMAND } from './command-secrets.ts';
import { type Columns, columnsOf, inColumns } from './csv-columns.ts';
import { cutBefore, sliceEnd } from './cut-text.ts';
import { decodedTexts } from './decoded-text.ts';
import {
  erasedView,
  MAX_LAYERS,
  type PartView,
  unescapedViews,
  type View,
  visibleViews,
} from './escape-view.ts';
import { MIN_RUN } from './keys/base64-runs.ts';
import { findJwkMembers, namesKeyType } from './keys/jwk-members.ts';
import { findPrivateKeys } from './keys/private-keys.ts';
import { KnownValues } from './known/known-values.ts';
import { findNamedValues } from './named-values.ts';
import type { NameKind } from './secret-names.ts';
import { MIN_SHAPE_LENGTH } from './secret-shapes.ts';
import { ShapeFinder } from './shape-finder.ts';
import { mergeSpans, NO_SPANS, type Span } from './span.ts';

/** Brings spans of a view back to the text at the bottom. */
type Back = (span: Span) => Span;

const same: Back = (span) => span;

const through =
  (back: Back, view: View): Back =>
  (span) =>
    back(view.origin(span));

/** A text may have been encoded twice. */
const MAX_DECODED = 2;

/** Longer texts are searched in slices of `SLICE` characters, which take some milliseconds each. */
export const MAX_WHOLE = 327_680;
const SLICE = 262_144;
/** No block of a private key is longer. A multiple of four, as `sliceEnd` wants it. */
const MARGIN = 16_384;

/** Returns the part of a span that lies in a slice, if any. */
const within = (slice: Span, { from, to }: Span): readonly Span[] => {
  const part = { from: Math.max(from, slice.from), to: Math.min(to, slice.to) };
  return part.from < part.to ? [part] : NO_SPANS;
};

const both = (a: readonly Span[], b: readonly Span[]): readonly Span[] => {
  if (b.length === 0) return a;
  return a.length === 0 ? b : [...a, ...b];
};

export class SecretFinder {
  readonly known = new KnownValues();
  readonly #shapes = new ShapeFinder();
  readonly #assigned: AssignedSecrets;
  readonly #kindOf: (name: string) => NameKind;
  /** For encoded texts. It knows no values: those are looked for in their encoded forms. */
  #inner: SecretFinder | undefined;
  #keysFound = 0;

  /** Grows with every text that holds a part of a private key: its neighbours may hold the rest. */
  get keysFound(): number {
    return this.#keysFound;
  }

  constructor(kindOf: (name: string) => NameKind) {
    this.#kindOf = kindOf;
    this.#assigned = new AssignedSecrets(kindOf);
  }

  /** Finds all secrets of a text; the spans are merged and in order. */
  find(text: string): readonly Span[] {
    const spans =
      text.length <= MAX_WHOLE ? this.#findIn(text, MAX_DECODED) : [...this.slices(text)].flat();
    return spans.length === 0 ? NO_SPANS : mergeSpans(spans);
  }

  /** Finds all secrets of a later part of a text; the columns are those that its first line named. */
  findRest(part: string, columns: Columns | undefined): readonly Span[] {
    const spans = this.find(part);
    if (columns === undefined) return spans;
    return mergeSpans([...spans, ...inColumns(part, columns, 0)]);
  }

  /** Reads the names of the columns from the first line of a text. */
  columnsOf(text: string): Columns | undefined {
    return columnsOf(text, this.#kindOf);
  }

  /**
   * Searches a long text slice by slice, and yields the spans of each. A slice is searched with what
   * stands before and after it, so that a secret across a border is found on both sides of it.
   */
  *slices(text: string): Generator<readonly Span[], void> {
    const margin = Math.max(MARGIN, Math.ceil(this.known.reach / 4) * 4);
    const columns = this.columnsOf(text);
    let to = 0;
    for (let from = 0; from < text.length; from = to) {
      to = sliceEnd(text, from, SLICE);
      const start = from === 0 ? 0 : cutBefore(text, from - margin);
      const slice = { from, to };
      // Joined, because characters of a slice of a string are read more slowly than those of a copy.
      const window = [text.slice(start, to), text.slice(to, to + margin)].join('');
      const rows = start > 0 && columns ? inColumns(window, columns, 0) : NO_SPANS;
      yield both(this.#findIn(window, MAX_DECODED), rows).flatMap((span) =>
        within(slice, { from: start + span.from, to: start + span.to }),
      );
    }
  }

  #findIn(text: string, depth: number): readonly Span[] {
    const plain = this.#lookAt(text);
    const hidden = this.#behindEscapes(text, same, 0);
    const decoded = text.length < MIN_RUN || depth === 0 ? NO_SPANS : this.#decoded(text, depth);
    return both(both(plain, hidden), decoded);
  }

  #decoded(text: string, depth: number): readonly Span[] {
    const views = decodedTexts(text);
    if (views.length === 0) return NO_SPANS;
    this.#inner ??= new SecretFinder(this.#kindOf);
    const inner = this.#inner;
    return views.flatMap((view) =>
      inner.#findIn(view.text, depth - 1).map((span) => view.origin(span)),
    );
  }

  #lookAt(text: string): readonly Span[] {
    let spans = text.length < MIN_SHAPE_LENGTH ? NO_SPANS : this.#shapes.find(text);
    spans = both(spans, this.#assigned.find(text));
    spans = both(spans, findNamedValues(text, this.#kindOf));
    const columns = this.columnsOf(text);
    if (columns) spans = both(spans, inColumns(text, columns, columns.rowsFrom));
    if (text.length >= MIN_COMMAND) spans = both(spans, findCommandSecrets(text));
    if (text.length >= MIN_RUN) spans = both(spans, this.#keys(text));
    spans = both(spans, this.#jwks(text));
    return this.known.empty ? spans : both(spans, this.known.find(text));
  }

  #keys(text: string): readonly Span[] {
    const keys = findPrivateKeys(text);
    if (keys.length > 0) this.#keysFound++;
    return keys;
  }

  #jwks(text: string): readonly Span[] {
    if (namesKeyType(text)) this.#keysFound++;
    return findJwkMembers(text);
  }

  /** Searches what a text looks like without what nobody sees, and with its escapes read. */
  #behindEscapes(text: string, back: Back, layer: number): readonly Span[] {
    let spans: readonly Span[] = NO_SPANS;
    const erased = this.known.empty ? undefined : erasedView(text);
    if (erased) spans = this.known.find(erased.text).map(through(back, erased));
    const visible = visibleViews(text);
    for (const view of visible) {
      spans = both(spans, this.#inView(view, back));
      spans = both(spans, this.#unescaped(view.text, through(back, view), layer));
    }
    if (visible[0]?.isWhole) return spans;
    return both(spans, this.#unescaped(text, back, layer));
  }

  #unescaped(text: string, back: Back, layer: number): readonly Span[] {
    let spans: readonly Span[] = NO_SPANS;
    if (layer === MAX_LAYERS) return spans;
    for (const view of unescapedViews(text)) {
      spans = both(spans, this.#inView(view, back));
      spans = both(spans, this.#behindEscapes(view.text, through(back, view), layer + 1));
    }
    return spans;
  }

  #inView(view: PartView, back: Back): readonly Span[] {
    const spans = this.#lookAt(view.text);
    if (spans.length === 0) return spans;
    return spans.filter((span) => view.holds(span)).map(through(back, view));
  }
}
