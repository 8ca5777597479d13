/**
 * Puts the open questions of a run, and of the runs that it has started, to the person who follows it. Each
 * was put on record by its step before anybody is asked, so that it has one question however often its
 * process leaves.
 */
import type { ApprovalRecord, Approver } from '../../../contract/approver.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ToolFailure, toolError } from '../../../contract/errors.ts';
import type { Timer } from '../../../contract/runtime.ts';
import { type Io, note } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';

export interface RunQuestionsDeps {
  readonly crib: CribHost;
  readonly person: Approver;
}

/** How often it is asked whether somebody has answered the question elsewhere. */
const LOOK_MS = 500;
const MAX_DEPTH = 8;

/**
 * Makes the approver of the calls that a session makes. Steps of runs wait with their questions on record; a
 * call that a tool makes cannot wait, so the person is asked at once.
 */
export const stepsAskLater = (
  person: Approver,
  approval: (id: string) => Promise<ApprovalRecord | undefined>,
): Approver => ({
  ask: async (request, signal) => {
    const record = await approval(request.id);
    const isStep = record?.step !== undefined && record.within === undefined;
    return isStep ? { answer: 'later', by: '' } : person.ask(request, signal);
  },
});

/** Lists the questions of a run and of the runs that it has started. */
const askedBy = async (crib: Crib, runId: string, depth = 0): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const { state, approvalId, childId } of await crib.flows.steps(runId)) {
    if (state !== 'open') continue;
    if (approvalId !== undefined) ids.push(approvalId);
    if (childId !== undefined && depth < MAX_DEPTH)
      ids.push(...(await askedBy(crib, childId, depth + 1)));
  }
  return ids;
};

export class RunQuestions {
  readonly #io: Io;
  readonly #deps: RunQuestionsDeps;
  /** Those that the person has put off. */
  readonly #putOff = new Set<string>();

  constructor(io: Io, deps: RunQuestionsDeps) {
    this.#io = io;
    this.#deps = deps;
  }

  /** Filters out questions that are answered or expired. */
  async open(ids: readonly string[]): Promise<readonly string[]> {
    const { crib } = this.#deps;
    const records = await Promise.all(ids.map((id) => crib.approvals.get(id)));
    const now = this.#io.runtime.now();
    return records.flatMap((record) =>
      record?.state === 'waiting' && record.expiresAt > now ? record.id : [],
    );
  }

  /** Lists the open questions of a run. */
  async of(runId: string): Promise<readonly string[]> {
    return this.open(await askedBy(this.#deps.crib, runId));
  }

  /** Asks these questions, but for those that were put off. */
  async ask(ids: readonly string[], left: AbortSignal): Promise<void> {
    for (const id of ids) {
      if (left.aborted || this.#putOff.has(id)) continue;
      const record = await this.#deps.crib.approvals.get(id);
      if (record?.state === 'waiting') await this.#askOne(record, left);
    }
  }

  async #askOne({ id, request }: ApprovalRecord, left: AbortSignal): Promise<void> {
    const over = new AbortController();
    const asked = AbortSignal.any([left, over.signal]);
    const stopWatching = this.#endWhenAnswered(id, over);
    const { answer, ...decision } = await this.#deps.person
      .ask(request, asked)
      .finally(stopWatching);
    if (asked.aborted) {
      // Nobody has said no: the person leaves, or the question was answered elsewhere.
      if (!left.aborted)
        note(this.#io, '  It is answered elsewhere, or nobody waits for it any more.');
    } else if (answer === 'later') this.#putOff.add(id);
    else await this.#decide(id, { ...decision, approve: answer === 'approve' });
  }

  /** Takes the question off the terminal once it is answered elsewhere, or withdrawn. */
  #endWhenAnswered(id: string, over: AbortController): () => void {
    const { runtime } = this.#io;
    let isStopped = false;
    const look = async (): Promise<void> => {
      const record = await this.#deps.crib.approvals.get(id);
      if (isStopped) return;
      if (record?.state === 'waiting') plan();
      else over.abort();
    };
    let timer: Timer | undefined;
    const plan = (): void => {
      if (isStopped) return;
      // A store that cannot be read for a moment is read again.
      timer = runtime.after(LOOK_MS, () => void look().catch(plan));
    };
    plan();
    return () => {
      isStopped = true;
      timer?.cancel();
    };
  }

  /** Takes the answer. One that cannot be carried out as given counts as a denial. */
  async #decide(id: string, answer: Parameters<Crib['approvals']['decide']>[1]): Promise<void> {
    const { approvals } = this.#deps.crib;
    try {
      await approvals.decide(id, answer);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      const { code, message, extras } = error;
      note(this.#io, ...errorLines(toolError(code, message, extras), this.#io.noteInk));
      await approvals.decide(id, { approve: false, by: answer.by });
    }
  }
}
