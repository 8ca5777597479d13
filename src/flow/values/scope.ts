/** What the values of steps can use, under four names. */

/** Who makes the call. Nothing that a step returns can replace it. */
export interface ScopeCaller {
  readonly user: string;
  readonly agent: string;
  readonly session: string;
  readonly loop: string;
  readonly isolation: string;
}

/** What a step left behind; `data` is there only when it succeeded, `error` only when it failed. */
export interface StepOutput {
  readonly status: string;
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: unknown;
}

export interface ValueScope {
  readonly input: unknown;
  readonly steps: Readonly<Record<string, StepOutput>>;
  readonly caller: ScopeCaller;
  /** The element at hand, in a step that runs once for each element of a list. */
  readonly item?: unknown;
}

/** The fields of `StepOutput`. */
const STEP_FIELDS: readonly string[] = ['data', 'success', 'status', 'error'];

/** Says what is wrong with a field of a step, as in `steps.a.result`; `undefined` for a good one. */
export const stepFieldFault = (step: string, field: string | number): string | undefined =>
  STEP_FIELDS.includes(String(field))
    ? undefined
    : `a step has ${STEP_FIELDS.join(', ')}; what it returned is in steps.${step}.data`;

export const SCOPE_NAMES = ['input', 'steps', 'caller', 'item'] as const;
export type ScopeName = (typeof SCOPE_NAMES)[number];

/** Returns an empty table of steps; without a prototype, so that `constructor` is no step. */
export const noSteps = (): Record<string, StepOutput> => Object.create(null);

/** What the program knows about a caller, as a `ToolContext` and a `Caller` both tell it. */
export interface CallerIds {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly loopId: string;
  readonly isolation: string;
}

/** Takes the caller from the call, never from data. */
export const scopeCaller = (ids: CallerIds): ScopeCaller => ({
  user: ids.userId,
  agent: ids.agentId,
  session: ids.sessionId,
  loop: ids.loopId,
  isolation: ids.isolation,
});
