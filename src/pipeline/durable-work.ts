/**
 * Marks the calls of a run or a job. Such a call may be made again long after the process that made it has
 * gone, so its key is kept for longer than that of any other caller.
 */
import type { CallRequest } from '../contract/call.ts';
import type { DurableWorkHandle } from '../contract/call-options.ts';
import { callAndParents } from './call-and-parents.ts';

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
