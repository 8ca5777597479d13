/**
 * Runs the steps that change a catalog or a membership. Each is on the audit trail before it begins and
 * when it is over, so that nothing changes without a durable record before it. A step that a crash
 * interrupted is closed later, with whether it took effect.
 */
import type { AuditEntry, AuditLog, AuditRow, AuditStatus } from '../../contract/audit.ts';
import type { CallerNames } from '../../contract/caller.ts';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { isError, reasonOf } from '../../kit/data/reason-of.ts';
import { auditEvent } from '../audit/audit-event.ts';

export type StepName =
  | 'team_propose'
  | 'team_approve'
  | 'team_reject'
  | 'team_publish'
  | 'team_rollback'
  | 'team_rotate'
  | 'team_join'
  | 'team_leave';

type Detail = Readonly<Record<string, unknown>>;

export interface Step {
  readonly tool: StepName;
  readonly by: CallerNames;
  readonly detail: Detail;
}

/** A step that is on record and may change something now. */
export interface BegunStep {
  readonly id: string;
  /** Throws TIMEOUT where the step took so long that others may have closed it as interrupted. */
  assertInTime(): void;
}

export interface StepEnd<T> {
  readonly value: T;
  /** What is known only now. */
  readonly detail?: Detail;
}

export interface RecordedStepsDeps {
  audit(): Promise<Pick<AuditLog, 'append' | 'query'>>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  newId(): string;
  /** The steps that are closed here when they were interrupted. */
  readonly names: readonly StepName[];
  /** Tells by what is stored whether an interrupted step took effect. */
  isDone(started: AuditRow): Promise<boolean>;
}

/** No step takes longer, so one that began before has no process any more. */
export const MAX_STEP_MS = 60_000;
/** How far back interrupted steps are looked for when a process looks first. */
const MAX_BACK_MS = 90 * DAY_MS;
const MAX_ROWS = 500;

const codeOf = (error: unknown): ErrorCode =>
  isError(error) && error instanceof ToolFailure ? error.code : 'INTERNAL';

const isOver = ({ status }: AuditRow): boolean => status !== 'started';

export class RecordedSteps {
  readonly #deps: RecordedStepsDeps;
  #checkedAt: number | undefined = undefined;

  constructor(deps: RecordedStepsDeps) {
    this.#deps = deps;
  }

  /** Rejects without having run the work where the trail cannot be written. */
  async run<T>(step: Step, work: (begun: BegunStep) => Promise<StepEnd<T>>): Promise<T> {
    const { runtime, newId } = this.#deps;
    await this.closeInterrupted();
    const id = newId();
    const startedAt = runtime.now();
    await this.#append(step, { status: 'started', detail: { step: id } });
    const assertInTime = (): void => {
      if (runtime.now() - startedAt < MAX_STEP_MS) return;
      throw new ToolFailure('TIMEOUT', 'The step took too long and changed nothing.');
    };
    let end: StepEnd<T>;
    try {
      end = await work({ id, assertInTime });
    } catch (error) {
      await this.#recordFailure(step, id, error);
      throw error;
    }
    await this.#append(step, { status: 'success', detail: { step: id, ...end.detail } });
    return end.value;
  }

  /** Closes steps that have no end although their time is over. */
  async closeInterrupted(): Promise<void> {
    const { runtime, names } = this.#deps;
    const now = runtime.now();
    const from = this.#checkedAt ?? now - MAX_BACK_MS;
    const audit = await this.#deps.audit();
    const started = (
      await audit.query({ kind: 'event', status: 'started', from, limit: MAX_ROWS })
    ).filter(({ tool, at }) => names.some((name) => name === tool) && at < now - MAX_STEP_MS);
    for (const row of started.toReversed()) await this.#close(row);
    // Steps that were too young are looked at again.
    this.#checkedAt = now - 2 * MAX_STEP_MS;
  }

  async #close(started: AuditRow): Promise<void> {
    const { tool, at, detail } = started;
    const audit = await this.#deps.audit();
    const rows = await audit.query({ kind: 'event', tool, from: at, limit: MAX_ROWS });
    if (rows.some((row) => isOver(row) && row.detail.step === detail.step)) return;
    const effect = await this.#deps.isDone(started).then(
      (isDone) => (isDone ? 'done' : 'not_done'),
      // What cannot be read, e.g. after the key was replaced, says nothing.
      () => 'unknown',
    );
    const { seq: _, hash: __, ...entry } = started;
    await audit.append({
      ...entry,
      at: this.#deps.runtime.now(),
      status: 'unknown',
      detail: { ...detail, effect, reconciled: true },
    });
  }

  /**
   * Records that a step failed. Never rejects: the first error is the one to report, and the trail has the
   * beginning of the step already.
   */
  async #recordFailure(step: Step, id: string, error: unknown): Promise<void> {
    const end = { status: 'failure' as const, code: codeOf(error), detail: { step: id } };
    await this.#append(step, end).catch((reason: unknown) => {
      this.#deps.runtime.log.error('The end of a step is not on the audit trail', {
        step: id,
        tool: step.tool,
        reason: reasonOf(reason),
      });
    });
  }

  async #append(
    { tool, by, detail }: Step,
    end: { readonly status: AuditStatus; readonly detail: Detail; readonly code?: ErrorCode },
  ): Promise<void> {
    const all = { ...detail, ...end.detail };
    const event = auditEvent({ tool, at: this.#deps.runtime.now(), detail: all }, by);
    const entry: AuditEntry = { ...event, status: end.status, code: end.code ?? '' };
    await (await this.#deps.audit()).append(entry);
  }
}
