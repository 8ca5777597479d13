/** The calls that wait for the store to open: they have an id and can be looked up and cancelled. */
import type { ExecutionStatus } from '../../contract/crib-members.ts';
import type { IdentifiedCall } from '../../pipeline/engine.ts';

interface StartingCall {
  readonly status: ExecutionStatus;
  readonly controller: AbortController;
}

export class StartingCalls {
  readonly #byId = new Map<string, StartingCall>();

  add({ executionId, toolName: tool }: IdentifiedCall, startedAt: number): void {
    const status = { executionId, tool, state: 'pending', effect: 'none', startedAt } as const;
    this.#byId.set(executionId, { status, controller: new AbortController() });
  }

  status(executionId: string): ExecutionStatus | undefined {
    return this.#byId.get(executionId)?.status;
  }

  /** False when there is none of this id, or it is cancelled already. */
  cancel(executionId: string): boolean {
    const controller = this.#byId.get(executionId)?.controller;
    if (!controller || controller.signal.aborted) return false;
    controller.abort();
    return true;
  }

  /** Lets go of a call that begins now, or never; returns it with its cancellation, if there was one. */
  release(call: IdentifiedCall): IdentifiedCall {
    const isCancelled = this.#byId.get(call.executionId)?.controller.signal.aborted === true;
    this.#byId.delete(call.executionId);
    return isCancelled ? { ...call, as: { ...call.as, signal: AbortSignal.abort() } } : call;
  }
}
