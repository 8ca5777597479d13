/** Runs a step once for each item of a list, in a moving window. */
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import type { FlowDataStep } from '../../../contract/flow-data.ts';
import { cancelledStep } from '../../turn.ts';
import { done, failedWith, isCancelled, type Outcome } from './outcome.ts';
import type { RunScope } from './run-scope.ts';

const CONCURRENCY = 8;
const MAX_ITEMS = 10_000;
/** Characters of all results together; what is beyond is in the journal only. */
const MAX_COLLECTED = 1_000_000;

export interface ItemRunDeps {
  readonly items: unknown;
  /** Runs the step for one item. Never rejects: the other items would be left behind. */
  run(scope: RunScope): Promise<Outcome>;
}

/** What the steps after it see of a `forEach`. */
export interface ItemsData {
  readonly count: number;
  readonly done: number;
  readonly failed: number;
  readonly skipped: number;
  /** In the order of the items; null for those that have none. */
  readonly results?: readonly unknown[];
  /** The results were too large: the others are in the journal. */
  readonly truncated?: true;
}

const assertItems = ({ id, forEach }: FlowDataStep, items: unknown): readonly unknown[] => {
  if (!Array.isArray(items)) {
    throw new ToolFailure('VALIDATION_ERROR', `The items of ${id} are no list.`);
  }
  const max = forEach?.maxItems ?? MAX_ITEMS;
  if (items.length > max) {
    const message = `${id} has ${items.length} items; at most ${max} are allowed.`;
    throw new ToolFailure('VALIDATION_ERROR', message, {
      suggestions: ['Pass fewer items, or raise forEach.maxItems.'],
    });
  }
  return items;
};

/** Keeps results as long as they are small together. */
class Collected {
  readonly #results: unknown[] | undefined;
  #left = MAX_COLLECTED;
  #isTruncated = false;

  constructor(isWanted: boolean) {
    this.#results = isWanted ? [] : undefined;
  }

  put(index: number, data: unknown): void {
    if (!this.#results || this.#isTruncated) return;
    this.#left -= JSON.stringify(data)?.length ?? 4;
    if (this.#left < 0) this.#isTruncated = true;
    else this.#results[index] = data;
  }

  data(count: number): Pick<ItemsData, 'results' | 'truncated'> {
    if (!this.#results) return {};
    const results = this.#results;
    const length = this.#isTruncated ? results.length : count;
    return {
      results: Array.from({ length }, (_, at) => results[at] ?? null),
      ...(this.#isTruncated && { truncated: true }),
    };
  }
}

export const runItems = async (
  step: FlowDataStep,
  scope: RunScope,
  deps: ItemRunDeps,
): Promise<Outcome> => {
  const { maxConcurrency = CONCURRENCY, onFailure = 'stop', collect = true } = step.forEach ?? {};
  const items = assertItems(step, deps.items);
  const counts = { done: 0, failed: 0, skipped: 0 };
  const collected = new Collected(collect);
  let failure: Extract<Outcome, { status: 'failed' }> | undefined;
  let next = 0;
  const branch = scope.branch();
  const worker = async (): Promise<void> => {
    while (next < items.length && !branch.isStopped) {
      const index = next;
      next += 1;
      const outcome = await deps.run(branch.forItem(items[index], index));
      // It was cancelled because of another one: it neither failed nor is it what failed.
      if (failure && branch.isStopped && isCancelled(outcome)) return;
      counts[outcome.status] += 1;
      if (outcome.status === 'done') collected.put(index, outcome.data);
      if (outcome.status !== 'failed') continue;
      failure ??= outcome;
      if (outcome.aborts || onFailure === 'stop') branch.stop();
    }
  };
  const workers = Array.from({ length: Math.min(maxConcurrency, items.length) }, worker);
  await Promise.all(workers);
  branch.close();
  // Before the failure: what ended the group around the step cancelled its items.
  if (scope.isStopped) return failedWith(cancelledStep());
  if (failure && (failure.aborts || onFailure === 'stop' || counts.done === 0)) {
    const { code, message, ...rest } = failure.error;
    const error = toolError(code, `${counts.failed} of ${items.length} items failed: ${message}`);
    return failedWith({ ...error, ...rest }, failure.aborts);
  }
  return done({ count: items.length, ...counts, ...collected.data(items.length) });
};
