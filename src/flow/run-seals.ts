/**
 * What is sealed of a run: its start, its steps, its end as its parent reads it, and the events sent to
 * it. A database can come from elsewhere; what none of this user's processes wrote counts for nothing.
 */
import { type ToolError, toolError } from '../contract/errors.ts';
import type { FlowEvent, FlowRun, JournalStep } from '../contract/flow-store.ts';
import { canonicalJson } from '../kit/data/canonical-json.ts';

export interface FlowSeals {
  /** False where nobody but this process can write the store: then nothing is sealed. */
  readonly isOn: boolean;
  seal(text: string): string;
  isOurs(text: string, seal: string | undefined): boolean;
  /**
   * Also knows the seals of runs that were started before runs were sealed like steps, and of the form
   * that their text had before.
   */
  isRunOurs(text: string, seal: string | undefined, before: string): Promise<boolean>;
}

/** Writes out the start of a run: what it does, by which version, and on whose behalf. */
const startText = (run: FlowRun): string => {
  const { id, flow, version, input, caller, dailyUsd, outerFlows, plan, parent } = run;
  const start = { id, flow, version, input, caller, dailyUsd, outerFlows, plan, parent };
  return `toolcrib flow 2\n${canonicalJson(start)}`;
};

/** Writes out the start as it was sealed before versions were. */
const unversionedText = (run: FlowRun): string => {
  const { id, flow, input, caller, dailyUsd, outerFlows, plan, parent } = run;
  const start = { id, flow, input, caller, dailyUsd, outerFlows, plan, parent };
  return `toolcrib flow 1\n${canonicalJson(start)}`;
};

const isOurStart = (run: FlowRun, seals: FlowSeals): Promise<boolean> =>
  seals.isRunOurs(startText(run), run.seal, unversionedText(run));

/** Moves a run to another version. One that is not this user's gets no new seal, and so does not run. */
export const movedTo = async (
  version: string,
  run: FlowRun | undefined,
  seals: FlowSeals,
): Promise<Partial<Pick<FlowRun, 'version' | 'seal'>>> => {
  if (!run) return {};
  const isSealed = seals.isOn && (await isOurStart(run, seals));
  return { version, ...(isSealed && { seal: seals.seal(startText({ ...run, version })) }) };
};

const withoutSeal = ({ seal: _seal, ...step }: JournalStep): JournalStep => step;

const stepText = (runId: string, step: JournalStep): string =>
  `toolcrib step 1\n${canonicalJson([runId, step.seal === undefined ? step : withoutSeal(step)])}`;

const endText = ({ id, status, output, error }: Ended): string =>
  `toolcrib end 1\n${canonicalJson({ id, status, output, error })}`;

/** Writes out an event. Those that were sent before events had a nonce are read without one. */
const eventText = (runId: string, { name, payload, at, nonce }: Sent): string => {
  const parts = [runId, name, payload, at];
  return `toolcrib event 1\n${canonicalJson(nonce === undefined ? parts : [...parts, nonce])}`;
};

interface Ended extends Pick<FlowRun, 'id' | 'status' | 'output'> {
  readonly error?: ToolError | undefined;
  readonly endSeal?: string;
}
type Sent = Omit<FlowEvent, 'id'>;

export const sealedStep = (runId: string, step: JournalStep, seals: FlowSeals): JournalStep =>
  seals.isOn ? { ...step, seal: seals.seal(stepText(runId, step)) } : step;

export const sealedRun = (run: FlowRun, seals: FlowSeals): FlowRun =>
  seals.isOn ? { ...run, seal: seals.seal(startText(run)) } : run;

export const sealedEvent = (runId: string, event: Sent, seals: FlowSeals): Sent =>
  seals.isOn ? { ...event, seal: seals.seal(eventText(runId, event)) } : event;

export const isOurEvent = (runId: string, event: FlowEvent, seals: FlowSeals): boolean =>
  !seals.isOn || seals.isOurs(eventText(runId, event), event.seal);

export const endSealOf = (run: Ended, seals: FlowSeals): string | undefined =>
  seals.isOn ? seals.seal(endText(run)) : undefined;

/** Tells whether the end of a child was written by this user; whoever cancels one says nothing else. */
export const isOurEnd = (run: Ended, seals: FlowSeals): boolean =>
  !seals.isOn || run.status === 'cancelled' || seals.isOurs(endText(run), run.endSeal);

const notOurs = (what: string): ToolError =>
  toolError('SECURITY_VIOLATION', `${what} was not written by you, or was changed since.`, {
    suggestions: ['Find out who can write the store. Cancel the run, and start it again.'],
  });

/** Finds what is planted in a run and its journal; `undefined` when all of it is this user's. */
export const plantedPart = async (
  run: FlowRun,
  steps: readonly JournalStep[],
  seals: FlowSeals,
): Promise<ToolError | undefined> => {
  if (!seals.isOn) return undefined;
  if (!(await isOurStart(run, seals))) return notOurs('The start of the run');
  const keys = new Set<string>();
  // A step that is there twice was copied into the place of another.
  const planted = steps.find(
    (step) =>
      keys.size === keys.add(step.key).size || !seals.isOurs(stepText(run.id, step), step.seal),
  );
  return planted && notOurs(`Step ${planted.key} (${planted.kind} ${planted.name}) on record`);
};

export const plantedEnd = (runId: string): ToolError => notOurs(`The end of the run ${runId}`);
