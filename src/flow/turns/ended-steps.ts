/** Steps that have ended and that the code has not been told of, in the order in which they did. */
import type { OpenStep, ToldEnd } from '../open-step.ts';

export interface EndedStep {
  readonly step: OpenStep;
  readonly end: ToldEnd;
}

/** A list with a moving start: `shift` would move all that is left, each time. */
export class EndedSteps {
  readonly #ended: (EndedStep | undefined)[] = [];
  #next = 0;

  add(ended: EndedStep): void {
    this.#ended.push(ended);
  }

  /** Takes the step that ended first. */
  take(): EndedStep | undefined {
    const ended = this.#ended[this.#next];
    if (!ended) return undefined;
    this.#ended[this.#next] = undefined;
    this.#next += 1;
    if (this.#next === this.#ended.length) {
      this.#ended.length = 0;
      this.#next = 0;
    }
    return ended;
  }
}
