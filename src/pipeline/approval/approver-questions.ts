/** Asks approvers about calls, and waits for none beyond the moment when its answer would still count. */
import type { ApprovalRequest, Approver, Decision } from '../../contract/approver.ts';
import type { CallRequest } from '../../contract/call.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import { callAndParents } from '../call-and-parents.ts';

export interface ApproverQuestionsDeps {
  /** The crib's own; a call, or the one that made it, may have another. */
  readonly approver: Approver | undefined;
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
}

/** A question that an approver was asked. */
interface OpenQuestion {
  readonly signal: AbortSignal;
  readonly over: Promise<Decision>;
  stop(): void;
}

const LATER: Decision = { answer: 'later', by: '' };

export class ApproverQuestions {
  readonly #deps: ApproverQuestionsDeps;
  /** Ends each question that waits for an approver. */
  readonly #openQuestions = new Set<() => void>();
  #isClosed = false;

  constructor(deps: ApproverQuestionsDeps) {
    this.#deps = deps;
  }

  /** Tells whether somebody can be asked about a call at once. */
  hasApprover(call: CallRequest): boolean {
    return this.#approverOf(call) !== undefined;
  }

  /** Asks the approver of a call. Without one, or without an answer in time, the decision is left for later. */
  async ask(request: ApprovalRequest, call: CallRequest): Promise<Decision> {
    const approver = this.#approverOf(call);
    if (!approver || this.#isClosed) return LATER;
    const question = this.#openQuestion(request, call);
    try {
      // A copy: whatever the approver does with it, the call stays what was asked about.
      const asked = Promise.resolve().then(() => approver.ask(ownCopy(request), question.signal));
      return await Promise.race([question.over, asked]);
    } catch {
      return { answer: 'deny', by: 'no answer' };
    } finally {
      question.stop();
    }
  }

  /** Stops waiting for approvers, now and later. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#openQuestions) end();
  }

  /** Finds the approver of the call, or of the call that made it; else the crib's own. */
  #approverOf(call: CallRequest): Approver | undefined {
    for (const each of callAndParents(call)) {
      if (each.options.approver) return each.options.approver;
    }
    return this.#deps.approver;
  }

  /**
   * Aborts the signal, and resolves, when an answer would no longer count: an approver may ignore its signal and
   * never answer. After `stop` only the call refers to the question.
   */
  #openQuestion({ expiresAt }: ApprovalRequest, { control }: CallRequest): OpenQuestion {
    const { runtime } = this.#deps;
    const question = new AbortController();
    const { signal } = question;
    const over = new Promise<Decision>((resolve) => {
      signal.addEventListener('abort', () => resolve(LATER), { once: true });
    });
    const timer = runtime.after(expiresAt - runtime.now(), () => question.abort('TIMEOUT'));
    timer.keepAlive(false);
    const end = (): void => question.abort(control.reason);
    control.onAbort(end);
    this.#openQuestions.add(end);
    const stop = (): void => {
      timer.cancel();
      this.#openQuestions.delete(end);
    };
    return { signal, over, stop };
  }
}
