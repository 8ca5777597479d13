/**
 * The calls that run on one connection, so that a question of the server reaches the person behind its
 * call. A pipe does not say which call a question belongs to: with more than one running nobody is
 * asked, because the question could reach the wrong person.
 */
import type { ToolContext } from '../../../contract/context.ts';
import { ToolFailure } from '../../../contract/errors.ts';

/** How to ask the person, and the model, behind a call. */
export type Askers = Pick<ToolContext, 'elicit' | 'sample'>;

/** Questions of one call, to its person and its model. */
const MAX_QUESTIONS = 20;

export class RunningCalls {
  readonly #calls = new Set<Askers>();

  /** Adds a call; returns a function that removes it. */
  add({ elicit, sample }: Askers): () => void {
    const call = { elicit, sample };
    this.#calls.add(call);
    return () => this.#calls.delete(call);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Gives the ways to ask of the only call that runs; nothing when there are more. */
  get only(): Askers | undefined {
    const [call] = this.#calls;
    return this.#calls.size === 1 ? call : undefined;
  }
}

/** Limits how often a call may ask. A warning in the result says that the client's model was used. */
export const askersOf = (context: ToolContext, server: string): Askers => {
  const { elicit, sample } = context;
  let questions = 0;
  let hasWarned = false;
  const count = (): void => {
    questions += 1;
    if (questions > MAX_QUESTIONS) {
      throw new ToolFailure('RATE_LIMITED', 'This call has asked too often.');
    }
  };
  const limitedSample: Askers['sample'] =
    sample &&
    (async (request) => {
      count();
      if (!hasWarned) context.warn(`The MCP server ${server} asked the client's model.`);
      hasWarned = true;
      return sample(request);
    });
  const limitedElicit: Askers['elicit'] =
    elicit &&
    (async (question) => {
      count();
      return elicit(question);
    });
  return { elicit: limitedElicit, sample: limitedSample };
};
