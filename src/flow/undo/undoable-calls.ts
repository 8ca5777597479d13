/** Finds what has to be undone of a failed run: its calls, and those of the runs that it has started. */
import { FINISHED, type Flows, type JournalStep } from '../../contract/flow-store.ts';
import { onlyReads } from '../../registry/only-reads.ts';
import { hasChangedNothing } from '../../registry/unchanged-calls.ts';
import { type FlowSeals, plantedPart } from '../run-seals.ts';
import type { RunDeps } from '../step-deps.ts';

export interface UndoableDeps {
  readonly flows: Pick<Flows, 'get' | 'steps'>;
  readonly tools: RunDeps['tools'];
  readonly seals: FlowSeals;
}

export interface UndoableCall {
  readonly executionId: string;
  readonly digest: string;
  /** Names the call among all that are undone: keys of steps hold no slash. */
  readonly key: string;
}

/** Tells whether a call has to be undone: it may have changed something, also where it failed. */
const hasStood = ({ state, name, error }: JournalStep, { tools }: UndoableDeps): boolean => {
  const tool = tools.get(name)?.tool;
  if (state === 'open' || onlyReads(tool)) return false;
  return state === 'done' || !(error && hasChangedNothing(tool, error));
};

const byEnd = (one: JournalStep, other: JournalStep): number =>
  (one.position ?? 0) - (other.position ?? 0);

/** Lists the calls of a run that is over, unless its journal was planted, without those that it has undone itself. */
const callsOfChild = async (
  { childId = '', key }: JournalStep,
  prefix: string,
  deps: UndoableDeps,
): Promise<readonly UndoableCall[]> => {
  const child = await deps.flows.get(childId);
  if (!child || !FINISHED.has(child.status)) return [];
  const steps = await deps.flows.steps(childId);
  if (await plantedPart(child, steps, deps.seals)) return [];
  const undone = new Set(
    steps.flatMap(({ kind, state, name }) => (kind === 'undo' && state === 'done' ? [name] : [])),
  );
  const calls = await callsIn(steps, `${prefix}${key}/`, deps);
  return calls.filter(({ executionId }) => !undone.has(executionId));
};

/** Lists the calls of a journal in the order in which they ended. */
const callsIn = async (
  steps: readonly JournalStep[],
  prefix: string,
  deps: UndoableDeps,
): Promise<readonly UndoableCall[]> => {
  const calls: UndoableCall[] = [];
  for (const step of steps.toSorted(byEnd)) {
    const { kind, state, key, digest, executionId = '' } = step;
    if (kind === 'child' && state !== 'open') {
      calls.push(...(await callsOfChild(step, prefix, deps)));
    } else if (kind === 'call' && executionId !== '' && hasStood(step, deps)) {
      calls.push({ executionId, digest, key: `${prefix}${key}` });
    }
  }
  return calls;
};

/** Lists what is to be undone, newest first. A call that a later step has taken over counts once. */
export const undoableCalls = async (
  steps: readonly JournalStep[],
  deps: UndoableDeps,
): Promise<readonly UndoableCall[]> => {
  const calls = new Map<string, UndoableCall>();
  for (const call of await callsIn(steps, '', deps)) {
    if (!calls.has(call.executionId)) calls.set(call.executionId, call);
  }
  return [...calls.values()].reverse();
};
