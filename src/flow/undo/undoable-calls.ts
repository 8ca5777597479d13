/** Finds what has to be undone of a failed run: its calls, and those of the runs that it has started. */
import { type ToolError, toolError } from '../../contract/errors.ts';
import { FINISHED, type FlowRun, type Flows, type JournalStep } from '../../contract/flow-store.ts';
import { onlyReads } from '../../registry/only-reads.ts';
import { hasChangedNothing } from '../../registry/unchanged-calls.ts';
import { type FlowSeals, plantedPart } from '../run-seals.ts';
import type { RunDeps } from '../step-deps.ts';

export interface UndoableDeps {
  readonly flows: Pick<Flows, 'get' | 'steps'>;
  readonly tools: RunDeps['tools'];
  readonly seals: FlowSeals;
  /** Makes a step of each call that was under way when a run was cancelled. */
  cutOffCalls(run: FlowRun, steps: readonly JournalStep[]): Promise<readonly JournalStep[]>;
}

export interface UndoableCall {
  /** Of the call; of the run where it is a run whose calls are not known. */
  readonly executionId: string;
  readonly digest: string;
  /** Names the call among all that are undone: keys of steps hold no slash. */
  readonly key: string;
  /** Why it is not undone: a person has to look. */
  readonly error?: ToolError;
}

/** A run whose calls are listed. */
interface Listing {
  readonly runId: string;
  /** The keys of the steps that have led to the run. */
  readonly prefix: string;
}

const LOOK = { suggestions: ['Look at what it did, and put it right by hand.'] };

const inDoubt = (executionId: string): ToolError =>
  toolError('CONFLICT', 'Nobody knows whether the call has taken effect; it was not undone.', {
    ...LOOK,
    inDoubt: executionId,
  });

const forgotten = (runId: string): ToolError =>
  toolError('NOT_FOUND', `The run ${runId} is not kept any more; it was not undone.`, LOOK);

/** Tells whether a call has to be undone: it may have changed something, also where it failed. */
const hasStood = ({ state, name, error }: JournalStep, { tools }: UndoableDeps): boolean => {
  const tool = tools.get(name)?.tool;
  if (onlyReads(tool)) return false;
  return state !== 'failed' || !(error && hasChangedNothing(tool, error));
};

/** Says why a call is not undone: it was in doubt when its run was blocked or cancelled. */
const doubtOf = ({ state, executionId = '', error }: JournalStep): Partial<UndoableCall> =>
  state === 'open' || error?.inDoubt !== undefined ? { error: inDoubt(executionId) } : {};

const byEnd = (one: JournalStep, other: JournalStep): number =>
  (one.position ?? Number.POSITIVE_INFINITY) - (other.position ?? Number.POSITIVE_INFINITY) || 0;

/**
 * Lists the calls of a run that is over, without those that it has undone itself. Names the run where its
 * calls are not known: its journal was planted, or is not kept any more.
 */
const callsOfChild = async (
  { childId = '', key, digest }: JournalStep,
  { runId, prefix }: Listing,
  deps: UndoableDeps,
): Promise<readonly UndoableCall[]> => {
  if (childId === '') return [];
  const unknown = { executionId: childId, digest, key: `${prefix}${key}` };
  const child = await deps.flows.get(childId);
  if (!child) return [{ ...unknown, error: forgotten(childId) }];
  // Somebody else has a run of this id: nothing was started.
  if (child.parent?.runId !== runId) return [];
  if (!FINISHED.has(child.status)) return [];
  const steps = await deps.flows.steps(childId);
  const error = await plantedPart(child, steps, deps.seals);
  if (error) return [{ ...unknown, error }];
  const undone = new Set(
    steps.flatMap(({ kind, state, name }) => (kind === 'undo' && state === 'done' ? [name] : [])),
  );
  const all = [...steps, ...(await deps.cutOffCalls(child, steps))];
  const calls = await callsIn(all, { runId: childId, prefix: `${prefix}${key}/` }, deps);
  return calls.filter(({ executionId }) => !undone.has(executionId));
};

/** Lists the calls of a journal in the order in which they ended, those that have not at last. */
const callsIn = async (
  steps: readonly JournalStep[],
  listing: Listing,
  deps: UndoableDeps,
): Promise<readonly UndoableCall[]> => {
  const calls: UndoableCall[] = [];
  for (const step of steps.toSorted(byEnd)) {
    const { kind, state, key, digest, executionId = '' } = step;
    // What a run has started that still runs is cancelled, and stays. A run that is over has left no other.
    if (kind === 'child' && (state !== 'open' || listing.prefix !== '')) {
      calls.push(...(await callsOfChild(step, listing, deps)));
    } else if (kind === 'call' && executionId !== '' && hasStood(step, deps)) {
      calls.push({ executionId, digest, key: `${listing.prefix}${key}`, ...doubtOf(step) });
    }
  }
  return calls;
};

/** Lists what is to be undone, newest first. A call that a later step has taken over counts once. */
export const undoableCalls = async (
  runId: string,
  steps: readonly JournalStep[],
  deps: UndoableDeps,
): Promise<readonly UndoableCall[]> => {
  const calls = new Map<string, UndoableCall>();
  for (const call of await callsIn(steps, { runId, prefix: '' }, deps)) {
    if (!calls.has(call.executionId)) calls.set(call.executionId, call);
  }
  return [...calls.values()].reverse();
};
