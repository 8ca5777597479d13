/** Finds secrets in a text: known values and well-known shapes, as they are and behind escapes. */
import { AssignedSecrets } from './assigned-secrets.ts';
import { joinedView, MAX_LAYERS, unescapedView, type View, visibleView } from './escape-view.ts';
import { KnownValues } from './known-values.ts';
import type { NameKind } from './secret-names.ts';
import { SHORTEST_SHAPE } from './secret-shapes.ts';
import { ShapeFinder } from './shape-finder.ts';
import { mergeSpans, NO_SPANS, type Span } from './span.ts';

/** Brings spans of a view back to the text at the bottom. */
type Back = (span: Span) => Span;

const same: Back = (span) => span;

const through =
  (back: Back, view: View): Back =>
  (span) =>
    back(view.origin(span));

export class SecretFinder {
  readonly known = new KnownValues();
  readonly #shapes = new ShapeFinder();
  readonly #assigned: AssignedSecrets;

  constructor(kindOf: (name: string) => NameKind) {
    this.#assigned = new AssignedSecrets(kindOf);
  }

  /** Merged and in order. */
  find(text: string): readonly Span[] {
    const plain = this.#lookAt(text);
    const hidden = this.#behindEscapes(text);
    if (plain.length === 0 && hidden.length === 0) return NO_SPANS;
    return mergeSpans([...plain, ...hidden]);
  }

  #lookAt(text: string): readonly Span[] {
    const shaped = text.length < SHORTEST_SHAPE ? NO_SPANS : this.#shapes.find(text);
    const assigned = this.#assigned.find(text);
    const unknown = assigned.length === 0 ? shaped : [...shaped, ...assigned];
    if (this.known.empty) return unknown;
    const known = this.known.find(text);
    return unknown.length === 0 ? known : [...unknown, ...known];
  }

  #behindEscapes(text: string): readonly Span[] {
    let found: readonly Span[] = NO_SPANS;
    let current = text;
    let back = same;
    for (let layer = 0; ; layer++) {
      const visible = visibleView(current);
      if (visible) {
        current = visible.text;
        back = through(back, visible);
        found = [...found, ...this.#lookAt(current).map(back)];
      }
      const broken = this.#acrossLines(current, back);
      if (broken.length > 0) found = [...found, ...broken];
      const view = layer < MAX_LAYERS ? unescapedView(current) : undefined;
      if (!view) return found;
      current = view.text;
      back = through(back, view);
      found = [...found, ...this.#lookAt(current).map(back)];
    }
  }

  /** Known values only: a shape would run on into the next line. */
  #acrossLines(text: string, back: Back): readonly Span[] {
    const view = this.known.empty ? undefined : joinedView(text);
    return view ? this.known.find(view.text).map(through(back, view)) : NO_SPANS;
  }
}
