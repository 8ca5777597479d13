/** The secrets that the crib has handed out, in all the ways that they may be written. */

import { mergeSpans, type Span } from '../span.ts';
import { encodedForms, MIN_SECRET_LENGTH, rewrittenForms, secretParts } from './encoded-forms.ts';
import { FoldedValues } from './folded-values.ts';
import { TextIndex } from './text-index.ts';

export class KnownValues {
  readonly #learnt = new Set<string>();
  readonly #index = new TextIndex();
  readonly #folded = new FoldedValues();

  get empty(): boolean {
    return this.#index.empty;
  }

  /** Of the longest text that is looked for. */
  get longest(): number {
    return this.#index.longest;
  }

  /** False when it is known already. */
  learn(secret: string): boolean {
    if (this.#learnt.has(secret)) return false;
    this.#learnt.add(secret);
    for (const form of encodedForms(secret)) this.#index.add(form);
    for (const part of secretParts(secret)) this.#learnFolded(part);
    return true;
  }

  /** A value of marks mostly is looked for as it would be written, mark for mark. */
  #learnFolded(part: string): void {
    if (part.length < MIN_SECRET_LENGTH || this.#folded.learn(part)) return;
    for (const form of rewrittenForms(part)) this.#index.add(form);
  }

  find(text: string): readonly Span[] {
    const exact = this.#index.find(text);
    const folded = this.#folded.find(text);
    if (folded.length === 0) return exact;
    return mergeSpans([...exact, ...folded]);
  }
}
