/** Finds secrets in a text: known values and well-known shapes, as they are and behind escapes. */
import { AssignedSecrets } from './assigned-secrets.ts';
import { findCommandSecrets, MIN_COMMAND } from './command-secrets.ts';
import { decodedTexts } from './decoded-text.ts';
import { erasedView, MAX_LAYERS, unescapedView, type View, visibleView } from './escape-view.ts';
import { MIN_RUN } from './keys/base64-runs.ts';
import { findPrivateKeys } from './keys/private-keys.ts';
import { KnownValues } from './known/known-values.ts';
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

  /** Merged and in order. */
  find(text: string): readonly Span[] {
    const spans = this.#findIn(text, MAX_DECODED);
    return spans.length === 0 ? NO_SPANS : mergeSpans(spans);
  }

  #findIn(text: string, depth: number): readonly Span[] {
    const plain = this.#lookAt(text);
    const hidden = this.#behindEscapes(text);
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
    let found = text.length < MIN_SHAPE_LENGTH ? NO_SPANS : this.#shapes.find(text);
    found = both(found, this.#assigned.find(text));
    if (text.length >= MIN_COMMAND) found = both(found, findCommandSecrets(text));
    if (text.length >= MIN_RUN) found = both(found, this.#keys(text));
    return this.known.empty ? found : both(found, this.known.find(text));
  }

  #keys(text: string): readonly Span[] {
    const keys = findPrivateKeys(text);
    if (keys.length > 0) this.#keysFound++;
    return keys;
  }

  #behindEscapes(text: string): readonly Span[] {
    let found: readonly Span[] = NO_SPANS;
    let current = text;
    let back = same;
    for (let layer = 0; ; layer++) {
      const erased = this.known.empty ? undefined : erasedView(current);
      if (erased) found = [...found, ...this.known.find(erased.text).map(through(back, erased))];
      const visible = visibleView(current);
      if (visible) {
        current = visible.text;
        back = through(back, visible);
        found = [...found, ...this.#lookAt(current).map(back)];
      }
      const view = layer < MAX_LAYERS ? unescapedView(current) : undefined;
      if (!view) return found;
      current = view.text;
      back = through(back, view);
      found = [...found, ...this.#lookAt(current).map(back)];
    }
  }
}
