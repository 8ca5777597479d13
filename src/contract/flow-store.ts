/**
 * The port to the journal of flows: runs, their steps and the events sent to them. A run belongs to one
 * process at a time; what that process writes is refused once another one has taken the run over.
 */
import type { Durability } from './audit.ts';
import type { OuterFlow } from './call-options.ts';
import type { Caller } from './caller.ts';
import type { ToolError } from './errors.ts';
import type { TraceContext } from './telemetry.ts';

/**
 * `running`: a process works on it, or will. `sleeping`: until `wakeAt`. `waiting`: for an answer, an
 * event or another run. `blocked`: a person has to decide; `waitsFor` says what.
 */
export const FLOW_STATUSES = [
  'running',
  'sleeping',
  'waiting',
  'blocked',
  'completed',
  'failed',
  'cancelled',
] as const;

export type FlowStatus = (typeof FLOW_STATUSES)[number];

/** The statuses in which nothing more happens by itself. */
export const FINISHED: ReadonlySet<FlowStatus> = new Set(['completed', 'failed', 'cancelled']);

/** How the waits begin that an answer ends: the decision of a person, and the end of another run. */
export const ANSWER_WAITS = ['approval:', 'run:'] as const;

/** The step of another run that waits for this one. */
export interface FlowParent {
  readonly runId: string;
  readonly key: string;
}

/** The plan that a person approved before the run was started. */
export interface RunPlan {
  readonly approvalId: string;
  readonly digest: string;
}

export interface FlowRun {
  readonly id: string;
  /** Grows whenever another process takes the run over: what an earlier owner writes is refused. */
  readonly epoch: number;
  readonly flow: string;
  readonly version: string;
  readonly input: unknown;
  /** On whose behalf the steps are called; rights and budgets are judged again at each step. */
  readonly caller: Caller;
  /** US dollars a day that the token which started the run allows. */
  readonly dailyUsd?: number;
  /** Of a child: the runs around it, outermost first, and what each may cost with all it has started. */
  readonly outerFlows?: readonly OuterFlow[];
  /** The approval of the whole plan that it was started with. */
  readonly plan?: RunPlan;
  readonly parent?: FlowParent;
  /** The span that it was started in, where that was traced: its turns and calls are in the same trace. */
  readonly trace?: TraceContext;
  readonly status: FlowStatus;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When it is continued by itself; absent while only somebody else can continue it. */
  readonly wakeAt?: number;
  /**
   * What it waits for: `approval:…`, `event:…`, `run:…`, `time`, `key` (another process makes the same
   * call), `retry` (the store failed). When blocked: `step:…` (the code has changed), `call:…` (nobody
   * knows whether it took effect), `seal` (this user did not write it), `caller` (the token that started
   * it is revoked or has expired).
   */
  readonly waitsFor?: readonly string[];
  readonly output?: unknown;
  readonly error?: ToolError;
  /** Shows that this user started it; a run without counts only in the process that started it. */
  readonly seal?: string;
  /** Shows that a process of this user wrote the end of a child; its parent takes no other. */
  readonly endSeal?: string;
}

export type StepKind = 'call' | 'sleep' | 'event' | 'approval' | 'child' | 'value' | 'undo';

/** One step of a run. `open` steps wait; `done` and `failed` ones are never run again. */
export interface JournalStep {
  readonly key: string;
  readonly kind: StepKind;
  /** The tool, flow, event or value. */
  readonly name: string;
  /** Of the input: other input under the same key means that the code has changed. */
  readonly digest: string;
  readonly state: 'open' | 'done' | 'failed';
  /** 1, 2, 3 … in the order in which steps ended; a replay ends them in the same order. */
  readonly position?: number;
  readonly executionId?: string;
  readonly value?: unknown;
  readonly error?: ToolError;
  /** For an open step: the end of a sleep, or of the time that is waited. */
  readonly wakeAt?: number;
  readonly approvalId?: string;
  readonly childId?: string;
  /** The event that ended the step. It is forgotten when the step is written, which holds its payload. */
  readonly eventId?: number;
  /** The nonce of that event: a copy of it is not taken again. */
  readonly eventNonce?: string;
  readonly startedAt: number;
  readonly finishedAt?: number;
  /** Shows that a process of this user wrote the step; a planted one blocks the run. */
  readonly seal?: string;
}

/** How many events of one run may wait to be taken. */
export const MAX_EVENTS = 1_000;
/** How many bytes these may have together, as JSON. */
export const MAX_EVENT_BYTES_WAITING = 16_777_216;

export interface FlowEvent {
  /** Grows with every event of the store. */
  readonly id: number;
  readonly name: string;
  readonly payload: unknown;
  readonly at: number;
  /** Its own for each event that is sent. Under the seal, so that a copy of an event is no other one. */
  readonly nonce?: string;
  /** Shows that a process of this user sent it; the code does not get one without. */
  readonly seal?: string;
}

/** What may change in a run. A field that is `undefined` is removed, one that is absent stays. */
export type RunChange = {
  readonly status: FlowStatus;
  readonly updatedAt: number;
} & {
  readonly [Field in 'wakeAt' | 'waitsFor' | 'output' | 'error' | 'version' | 'seal' | 'endSeal']?:
    | FlowRun[Field]
    | undefined;
};

export interface FlowFilter {
  readonly status?: FlowStatus;
  readonly flow?: string;
  readonly userId?: string;
  /** Runs made before this moment, for paging. */
  readonly before?: number;
  /** 100 when absent. */
  readonly limit?: number;
}

export interface ClaimRequest {
  readonly now: number;
  /** The flows that this process can run, as `name@version`; the claim skips all others. */
  readonly flows: ReadonlySet<string>;
  /** Only these runs, and those that they have started; any run when absent. */
  readonly within?: ReadonlySet<string>;
  readonly limit: number;
}

/** Tells whether a run is one of these, or was started by one of them. */
export const isWithin = (
  { id, outerFlows }: Pick<FlowRun, 'id' | 'outerFlows'>,
  runIds: ReadonlySet<string>,
): boolean => runIds.has(id) || outerFlows?.some(({ flowId }) => runIds.has(flowId)) === true;

/** What is written together with a new run. */
export interface CreateOptions {
  /** Steps that the run has made already. */
  readonly steps?: readonly JournalStep[];
  /** True when the run was worked on and given up again: no process owns it. */
  readonly isReleased?: boolean;
}

/** What is written together with the release of a run. */
export interface ReleaseOptions {
  /** Steps that are not on record yet. */
  readonly steps?: readonly JournalStep[];
  /** An event that came after this one makes the run due at once. */
  readonly seenEvent?: number;
}

export interface ChangeOptions {
  /** Changes nothing while a process that is alive works on the run. */
  readonly onlyIdle?: boolean;
}

/** A run as this process holds it. */
export type RunClaim = Pick<FlowRun, 'id' | 'epoch'>;

export interface Flows {
  /**
   * Adds a run that belongs to this process, with steps that it has made, synced. False, and nothing is
   * written, when the id is taken.
   */
  create(run: FlowRun, options?: CreateOptions): Promise<boolean>;
  get(runId: string): Promise<FlowRun | undefined>;
  /** Lists runs, newest first. */
  list(filter?: FlowFilter): Promise<readonly FlowRun[]>;
  /** Lists the waiting runs that an answer can end the wait of (`ANSWER_WAITS`), newest first. */
  waitingForAnswer(limit: number): Promise<readonly FlowRun[]>;
  /** Takes over runs that are due and that no living process owns. */
  claim(request: ClaimRequest): Promise<readonly FlowRun[]>;
  /**
   * Lists runs that a claim skips although they are due and no living process owns them: those of other
   * flows. Takes none of them.
   */
  unclaimed(request: ClaimRequest): Promise<readonly FlowRun[]>;
  /** Lists the runs among these that this process no longer holds: others have changed or taken them over. */
  lost(claims: readonly RunClaim[]): Promise<readonly string[]>;
  /** Lists the steps of a run, in the order in which their keys were first written. */
  steps(runId: string): Promise<readonly JournalStep[]>;
  /**
   * Writes steps of a run; the caller must not change them afterwards. By default `written`: an effect is
   * protected by the key of its call, so a power cut repeats nothing but reading steps. Fails with
   * CONFLICT when the run has changed hands.
   */
  record(claim: RunClaim, steps: readonly JournalStep[], durability?: Durability): Promise<void>;
  /**
   * Changes a run and releases it, in one synced transaction with its last steps; returns the changed
   * run. Fails with CONFLICT when another process has taken the run over.
   */
  release(claim: RunClaim, change: RunChange, options?: ReleaseOptions): Promise<FlowRun>;
  /**
   * Changes a run from outside and takes it from its process, unless it is finished. False, and nothing
   * is written, when it is, when there is none, or when `onlyIdle` forbids it.
   */
  change(runId: string, change: RunChange, options?: ChangeOptions): Promise<boolean>;
  /**
   * Adds an event, and makes a run due that waits for one of this name. False for a run that is finished or
   * unknown. Fails with CONFLICT where more than MAX_EVENTS of the run, or than MAX_EVENT_BYTES_WAITING of
   * them, would wait to be taken.
   */
  send(runId: string, event: Omit<FlowEvent, 'id'>): Promise<boolean>;
  /** Makes a waiting run due. */
  wake(runId: string, now: number): Promise<void>;
  /** Lists events of a run after an id that no step on record has taken, oldest first. */
  events(runId: string, after?: number, limit?: number): Promise<readonly FlowEvent[]>;
  /** Lists the ids and names of the same events: their payloads may be large, and are not read. */
  eventNames(
    runId: string,
    after?: number,
    limit?: number,
  ): Promise<readonly Pick<FlowEvent, 'id' | 'name'>[]>;
  /** Forgets finished runs that were last changed before that moment; says how many. */
  expire(before: number): Promise<number>;
}
