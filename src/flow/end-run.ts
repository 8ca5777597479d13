/** Ends what runs leave behind: the runs that they have started, and their questions. */
import { ToolFailure, toolError } from '../contract/errors.ts';
import { FINISHED, type FlowRun, type Flows, type RunChange } from '../contract/flow-store.ts';
import type { Runtime } from '../contract/runtime.ts';
import { stopped } from './run-record.ts';

export interface EndRunDeps {
  readonly flows: Pick<Flows, 'change' | 'get' | 'steps'>;
  readonly runtime: Pick<Runtime, 'now'>;
  /** Writes what this process has not written of a run. Never rejects. */
  flush(runId: string): Promise<void>;
  /** Ends the work of this process at a run. */
  drop(runId: string, cause: unknown): void;
  /** Tells those who wait for a run. */
  ended(run: FlowRun): Promise<void>;
  /** Takes a question back that nobody has answered. */
  withdraw(approvalId: string): Promise<void>;
}

export const undoing = (runId: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The run ${runId} has failed, and what it did is being undone.`, {
    suggestions: ['Wait for its end; toolcrib flow steps shows how far it is.'],
  });

type RunEnd = 'cancelled' | 'over' | 'undoing';

/** How long a run that was taken from its process rests if the process that cancels it dies. */
const TAKEN_MS = 10_000;

/** More than runs can be nested: whoever can write the store could make them each other's parents. */
const MAX_HEIGHT = 32;

/**
 * Tells whether a run goes on as soon as a process has time for it, and waits for no person. One whose
 * process was killed is still `running`.
 */
const goesOnByItself = ({ status, waitsFor = [] }: FlowRun): boolean =>
  (status === 'running' || status === 'waiting' || status === 'sleeping') &&
  waitsFor.every((cause) => cause === 'key' || cause === 'retry');

const isUndoing = async (runId: string, flows: EndRunDeps['flows']): Promise<boolean> =>
  (await flows.steps(runId)).some(({ kind }) => kind === 'undo');

/**
 * Writes that a run is cancelled. A run that a process works on is taken from it first: what it does
 * next is refused, so no undo can begin between the look at its steps and the end.
 */
const cancelRun = async (
  runId: string,
  change: RunChange,
  { flows, runtime }: EndRunDeps,
): Promise<RunEnd> => {
  const idle = await flows.get(runId);
  // An undo is not over because nobody is at it for the moment: half of it would be left.
  if (idle && goesOnByItself(idle) && (await isUndoing(runId, flows))) return 'undoing';
  for (;;) {
    if (await flows.change(runId, change, { onlyIdle: true })) return 'cancelled';
    const run = await flows.get(runId);
    if (!run || FINISHED.has(run.status)) return 'over';
    if (await isUndoing(runId, flows)) return 'undoing';
    const now = runtime.now();
    await flows.change(runId, { ...stopped('sleeping', now), wakeAt: now + TAKEN_MS });
    if (!(await isUndoing(runId, flows))) continue;
    // The undo began before the run was taken: it goes on where it is.
    const due = { ...stopped('waiting', now), wakeAt: now };
    await flows.change(runId, due, { onlyIdle: true });
    return 'undoing';
  }
};

/** Ends a run, unless a process takes back what it did: then half of it would be left. */
export const endRun = async (runId: string, deps: EndRunDeps): Promise<RunEnd> => {
  const { flows, runtime, flush, drop, ended } = deps;
  await flush(runId);
  const error = toolError('CANCELLED', 'The run was cancelled.');
  const end = await cancelRun(runId, { ...stopped('cancelled', runtime.now()), error }, deps);
  if (end === 'undoing') return end;
  drop(runId, error);
  await endOpenSteps(runId, deps);
  const run = end === 'cancelled' ? await flows.get(runId) : undefined;
  if (run) await ended(run);
  return end;
};

/**
 * Finds the outermost run that a run belongs to, itself where there is none around it. Nothing where one of
 * them has failed or was cancelled, which ends all that it has started; one that is completed leaves its children.
 */
export const rootOf = async <R extends Pick<FlowRun, 'parent'>>(
  run: R,
  flows: Pick<Flows, 'get'>,
): Promise<R | FlowRun | undefined> => {
  let root: R | FlowRun = run;
  for (let height = 0; root.parent && height < MAX_HEIGHT; height += 1) {
    const outer: FlowRun | undefined = await flows.get(root.parent.runId);
    if (!outer || outer.status === 'completed') return root;
    if (FINISHED.has(outer.status)) return undefined;
    root = outer;
  }
  return root;
};

/**
 * Ends the runs that a run has started and still waits for, and takes its questions back; `keepsUndo`: not
 * those of its undo, which goes on.
 */
export const endOpenSteps = async (
  runId: string,
  deps: EndRunDeps,
  { keepsUndo = false } = {},
): Promise<void> => {
  for (const { kind, childId, approvalId, state } of await deps.flows.steps(runId)) {
    if (state !== 'open' || (keepsUndo && kind === 'undo')) continue;
    if (childId !== undefined) await endRun(childId, deps);
    if (approvalId !== undefined) await deps.withdraw(approvalId);
  }
};
