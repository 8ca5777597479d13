/** The secrets that the crib has handed out, in all the ways that they may be written. */
import { joinedView } from '../escape-view.ts';
import { mergeSpans, NO_SPANS, type Span } from '../span.ts';
import { encodedForms, MIN_SECRET_LENGTH, rewrittenForms, secretParts } from './encoded-forms.ts';
import { FoldedValues, MAX_GAP_RATIO } from './folded-values.ts';
import { KnownFilter } from './known-filter.ts';
import { TextIndex } from './text-index.ts';

/** A form that is broken into indented lines takes so many times its length at most. */
const MAX_WRAPPING = 4;

export class KnownValues {
  readonly #learnt = new Set<string>();
  readonly #filter = new KnownFilter();
  readonly #index = new TextIndex();
  /** Forms with too few letters and digits for the filter. */
  readonly #marks = new TextIndex();
  readonly #folded = new FoldedValues();

  get empty(): boolean {
    return this.#index.empty && this.#marks.empty;
  }

  /** Of the longest text that is looked for. */
  get longest(): number {
    return Math.max(this.#index.longest, this.#marks.longest);
  }

  /** How long a secret may be in a text, with all that may stand between its characters. */
  get reach(): number {
    return Math.max(this.longest * MAX_WRAPPING, this.#folded.longest * (MAX_GAP_RATIO + 1));
  }

  /** Remembers a secret; false when it is known already. */
  learn(secret: string): boolean {
    if (this.#learnt.has(secret)) return false;
    this.#learnt.add(secret);
    for (const form of encodedForms(secret)) this.#add(form);
    for (const part of secretParts(secret)) this.#learnFolded(part);
    return true;
  }

  /** Finds the secrets in a text, and those that are broken into several of its lines. */
  find(text: string): readonly Span[] {
    if (text.length < MIN_SECRET_LENGTH) return NO_SPANS;
    const marks = this.#marks.empty ? NO_SPANS : onLines(text, (line) => this.#marks.find(line));
    const candidates = this.#filter.candidates(text, this.reach);
    if (candidates.length === 0) return marks;
    const spans = [...marks];
    for (const { from, to } of candidates) {
      for (const span of onLines(text.slice(from, to), (part) => this.#findIn(part))) {
        spans.push({ from: from + span.from, to: from + span.to });
      }
    }
    return mergeSpans(spans);
  }

  /** Tells whether a text may hold a secret; false is certain. */
  mayHold(text: string): boolean {
    return !this.#marks.empty || this.#filter.candidates(text, 1).length > 0;
  }

  #findIn(text: string): readonly Span[] {
    return [...this.#index.find(text), ...this.#folded.find(text)];
  }

  #add(form: string): void {
    if (this.#filter.add(form)) this.#index.add(form);
    else this.#marks.add(form);
  }

  /**
   * Learns the folded form of a part; of one without such a form, e.g. mostly punctuation, its
   * rewritten forms.
   */
  #learnFolded(part: string): void {
    if (part.length < MIN_SECRET_LENGTH) return;
    const folded = this.#folded.learn(part);
    for (const form of folded) this.#filter.add(form);
    if (folded.length > 0) return;
    for (const form of rewrittenForms(part)) this.#add(form);
  }
}

/** Searches a text as it is and with its lines joined. */
const onLines = (text: string, find: (text: string) => readonly Span[]): readonly Span[] => {
  const spans = find(text);
  const joined = joinedView(text);
  return joined ? [...spans, ...find(joined.text).map((span) => joined.origin(span))] : spans;
};
