/**
 * The calls that run on one connection, so that a question of the server reaches the person behind the
 * call that it belongs to. A pipe does not say which call a question belongs to: with more than one
 * running it is put to nobody, for it could reach the wrong person.
 */
import type { ToolContext } from '../../../contract/context.ts';

/** How to ask the person, and the model, behind a call. */
export type Askers = Pick<ToolContext, 'elicit' | 'sample'>;

export class RunningCalls {
  readonly #asks = new Set<Askers>();

  /** Returns what to do when the call is over. */
  add({ elicit, sample }: Askers): () => void {
    const call = { elicit, sample };
    this.#asks.add(call);
    return () => this.#asks.delete(call);
  }

  get size(): number {
    return this.#asks.size;
  }

  /** How to ask whoever is behind the only call that runs. */
  get only(): Askers | undefined {
    const [call] = this.#asks;
    return this.#asks.size === 1 ? call : undefined;
  }
}
