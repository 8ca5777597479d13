/** The types of job that this process can run, each with its handler. */
import { ToolFailure } from '../contract/errors.ts';
import type { JobHandler, JobTypeOptions } from '../contract/job.ts';
import type { Job } from '../contract/queue.ts';
import { didYouMean } from '../kit/text/did-you-mean.ts';

export const DEFAULT_QUEUE = 'default';

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

export interface JobType extends JobTypeOptions {
  readonly type: string;
  readonly queue: string;
  readonly handler: JobHandler;
  /** Ends what the job has started elsewhere, once it is cancelled. */
  cancelled?(job: Job): Promise<void>;
  /** Is told before a dead or cancelled job is put back by a person. */
  requeued?(job: Job): Promise<void>;
}

/** More than this in one sentence is noise. */
const MAX_NAMED = 20;

/** Throws for a name that a queue cannot have: by default CONFIG_INVALID, as it is the program that names queues. */
export const assertQueueName = (
  queue: string,
  code: 'CONFIG_INVALID' | 'VALIDATION_ERROR' = 'CONFIG_INVALID',
): void => {
  if (NAME.test(queue)) return;
  throw new ToolFailure(code, 'A queue needs a name of 1 to 128 letters, digits, "_", "." or "-".');
};

const assertCount = (value: number | undefined, what: string): void => {
  if (value === undefined || (Number.isSafeInteger(value) && value > 0)) return;
  throw new ToolFailure('CONFIG_INVALID', `${what} has to be a whole number above zero.`);
};

const assertType = ({ type, queue, concurrency, timeoutMs, handler }: JobType): void => {
  if (!NAME.test(type)) {
    throw new ToolFailure(
      'CONFIG_INVALID',
      'A type of job needs a name of 1 to 128 letters, digits, "_", "." or "-".',
    );
  }
  if (typeof handler !== 'function') {
    throw new ToolFailure('CONFIG_INVALID', `Job ${type}: the handler has to be a function.`);
  }
  assertQueueName(queue);
  assertCount(concurrency, 'concurrency');
  assertCount(timeoutMs, 'timeoutMs');
};

export class JobTypes {
  readonly #types = new Map<string, JobType>();
  /** What types that ship need where they are not there. */
  readonly #needs = new Map<string, string>();

  /** Throws CONFIG_INVALID, and CONFLICT for a type that another handler has. */
  register(
    type: string,
    handler: JobHandler,
    options: JobTypeOptions & Pick<JobType, 'cancelled' | 'requeued'> = {},
  ): void {
    const entry = { ...options, type, handler, queue: options.queue ?? DEFAULT_QUEUE };
    assertType(entry);
    const present = this.#types.get(type);
    if (present && present.handler !== handler) {
      throw new ToolFailure('CONFLICT', `The type of job ${type} has another handler.`, {
        suggestions: ['Register each type once, or choose another name.'],
      });
    }
    this.#types.set(type, entry);
  }

  find(type: string): JobType | undefined {
    return this.#types.get(type);
  }

  /** Notes what a type that ships needs, which is not there in this process. */
  noteNeed(type: string, need: string): void {
    this.#needs.set(type, need);
  }

  /** Says what a type that ships needs to be there; `undefined` for any other. */
  needOf(type: string): string | undefined {
    return this.#needs.get(type);
  }

  /** Throws NOT_FOUND. */
  get(type: string): JobType {
    const entry = this.#types.get(type);
    if (entry) return entry;
    const need = this.needOf(type);
    const names = [...this.#types.keys(), ...this.#needs.keys()];
    const meant = (need === undefined && didYouMean(type, names)) || '.';
    throw new ToolFailure('NOT_FOUND', `There is no type of job ${type}${meant}`, {
      suggestions: [need ?? this.#registerFirst()],
    });
  }

  #registerFirst(): string {
    const types = [...this.#types.keys()].slice(0, MAX_NAMED).join(', ');
    return `Register it first: crib.jobs.register(type, handler). Known here are: ${types}.`;
  }

  queues(): readonly string[] {
    return [...new Set(Array.from(this.#types.values(), ({ queue }) => queue))];
  }
}
