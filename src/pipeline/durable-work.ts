/**
 * Marks the calls of a run or a job. Such a call may be made again long after the process that made it has
 * gone, so its key is kept for longer than that of any other caller.
 */
import type { CallRequest } from '../contract/call.ts';
import type { DurableWorkHandle } from '../contract/call-options.ts';
import { DAY_MS } from '../kit/data/durations.ts';
import { callAndParents } from './call-and-parents.ts';

/**
 * How long keys and questions of a run or a job are remembered: longer than any sleep, delay or question, which
 * end after 366 days. A limit, because nobody says that a job will not be put back any more.
 */
export const DURABLE_MS = 400 * DAY_MS;

/** Its private field keeps others from making one. */
export class DurableWork implements DurableWorkHandle {
  readonly name: string;
  readonly #cutOff: AbortSignal | undefined;

  /** Calls that are cancelled once `cutOff` has fired were not ended by anybody who wanted that. */
  constructor(name: string, cutOff?: AbortSignal) {
    this.name = name;
    this.#cutOff = cutOff;
  }

  static is(value: unknown): value is DurableWork {
    return typeof value === 'object' && value !== null && #cutOff in value;
  }

  get isCutOff(): boolean {
    return this.#cutOff?.aborted === true;
  }

  /** Finds the run or job that a call belongs to, also one that a tool makes. */
  static of(call: CallRequest): DurableWork | undefined {
    for (const { options } of callAndParents(call)) {
      if (DurableWork.is(options.durable)) return options.durable;
    }
    return undefined;
  }
}

/**
 * Names the step of a run, or the call of a job, that a call is; `undefined` for any other, and for one that a
 * tool makes. Calls that only read have no key: they go by the name of their run or job.
 */
export const durableStepOf = ({ options, parent }: CallRequest): string | undefined => {
  const { durable, idempotencyKey } = options;
  return parent || !DurableWork.is(durable) ? undefined : (idempotencyKey ?? durable.name);
};
