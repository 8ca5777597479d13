/** Calls that wait for the store to open; they can be looked up and cancelled by id. */
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

  /** Cancels a call. Returns false for an unknown id or a call that is cancelled already. */
  cancel(executionId: string): boolean {
    const controller = this.#byId.get(executionId)?.controller;
    if (!controller || controller.signal.aborted) return false;
    controller.abort();
    return true;
  }

  /** Removes a call that starts now, or never will; returns it, aborted if it was cancelled. */
  release(call: IdentifiedCall): IdentifiedCall {
    const isCancelled = this.#byId.get(call.executionId)?.controller.signal.aborted === true;
    this.#byId.delete(call.executionId);
    return isCancelled ? { ...call, as: { ...call.as, signal: AbortSignal.abort() } } : call;
  }
}
