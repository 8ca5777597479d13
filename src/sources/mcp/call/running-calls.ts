/**
 * The calls that run on one connection, so that a question of the server reaches the person behind the
 * call that it belongs to. A pipe does not say which call a question belongs to: with more than one
 * running it is put to nobody, for it could reach the wrong person.
 */
import type { ToolContext } from '../../../contract/context.ts';

export type Ask = NonNullable<ToolContext['elicit']>;

export class RunningCalls {
  readonly #asks = new Set<{ readonly ask: Ask | undefined }>();

  /** Returns what to do when the call is over. */
  add(ask: Ask | undefined): () => void {
    const call = { ask };
    this.#asks.add(call);
    return () => this.#asks.delete(call);
  }

  get size(): number {
    return this.#asks.size;
  }

  /** Who asks the person behind the only call that runs. */
  get only(): Ask | undefined {
    const [call] = this.#asks;
    return this.#asks.size === 1 ? call?.ask : undefined;
  }
}
