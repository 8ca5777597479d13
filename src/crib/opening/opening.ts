/**
 * Opens the store and the engine of a crib when the first call needs them, and closes everything once. A
 * store that could only be read is opened again when a call needs to write.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Sandboxes } from '../../contract/sandbox.ts';
import type { Engine, IdentifiedCall } from '../../pipeline/engine.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Opened } from '../members/member-deps.ts';
import type { StartingCalls } from '../members/starting-calls.ts';

export interface OpeningDeps {
  open(): Promise<Opened>;
  readonly runtime: Runtime;
  readonly registry: Pick<Registry, 'close'>;
  readonly sandboxes: Pick<Sandboxes, 'close'>;
  readonly starting: StartingCalls;
  /** Resolves when no sandbox is being prepared. */
  settled(): Promise<unknown>;
  /** Ends flows, jobs and chains of this process. */
  endBackground(): Promise<void>;
}

const closed = (): ToolFailure =>
  new ToolFailure('STORE_UNAVAILABLE', 'This crib is closed.', {
    suggestions: ['Make another one with createCrib, and close it when the last call is over.'],
    retryable: false,
  });

export class Opening {
  /** Set once the store is open: the hot path then needs no promise to reach it. */
  engine: Engine | undefined = undefined;
  storeLabel = 'not open yet';
  readonly #deps: OpeningDeps;
  #opening: Promise<Opened> | undefined = undefined;
  #closed: Promise<void> | undefined = undefined;

  constructor(deps: OpeningDeps) {
    this.#deps = deps;
  }

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  open(): Promise<Opened> {
    if (this.#closed) return Promise.reject(closed());
    // A failure is not cached: the next call tries again.
    this.#opening ??= this.#start().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** Opens the store, then starts the call. Without a store the call is refused: nothing runs unrecorded. */
  async startFirst(call: IdentifiedCall): Promise<ToolResult> {
    const { runtime, starting } = this.#deps;
    starting.add(call, runtime.now());
    try {
      const { engine } = await this.#openWritable();
      return engine.start(starting.release(call));
    } catch (error) {
      const { refuseWithoutStore } = await import('../../pipeline/refuse-without-store.ts');
      return refuseWithoutStore({ ...call, error }, runtime);
    } finally {
      starting.release(call);
    }
  }

  /** Ends everything that was begun. A second call waits for the same end. */
  close(): Promise<void> {
    this.#closed ??= this.#shutDown();
    return this.#closed;
  }

  async #start(): Promise<Opened> {
    const opened = await this.#deps.open();
    this.storeLabel = opened.store.label;
    await opened.engine.recovery.recover();
    // A read-only store may become writable: each call checks again.
    if (opened.store.isReadOnly) return opened;
    this.engine = opened.engine;
    opened.engine.recovery.keepRecovering();
    opened.retention?.start();
    opened.checkpoints?.start();
    return opened;
  }

  /** Opens a store again that was read-only when it was opened. */
  async #openWritable(): Promise<Opened> {
    const opened = await this.open();
    if (!opened.store.isReadOnly) return opened;
    this.#opening = undefined;
    await opened.engine.close();
    await opened.store.close();
    const again = await this.open();
    if (!again.store.isReadOnly) return again;
    throw new ToolFailure('STORE_UNAVAILABLE', 'The store can only be read.', {
      suggestions: ['Make the file of the store, and its folder, writable for this user.'],
    });
  }

  async #shutDown(): Promise<void> {
    const { registry, sandboxes, settled, endBackground } = this.#deps;
    // First of all: a call, a job or a flow may wait for an approver that never answers.
    const leaving = ({ engine }: Opened): void => engine.shared.approvalService.close();
    void this.#opening?.then(leaving, () => undefined);
    await endBackground();
    const opened = await this.#opening?.catch(() => undefined);
    this.engine = undefined;
    if (opened) await opened.engine.shared.running.whenIdle();
    await registry.close();
    await settled();
    await sandboxes.close();
    if (!opened) return;
    await opened.retention?.stop();
    await opened.engine.close();
    if (!opened.store.isReadOnly) await opened.checkpoints?.stop();
    await opened.store.close();
  }
}
