/**
 * Repeats what the store could not write when a call ended: its hold, its key, its outcome. Without it,
 * they would stay wrong until a new process opens the store.
 */
import type { Runtime } from '../../contract/runtime.ts';
import { thrownText } from '../../kit/data/reason-of.ts';

const RETRY_MS = 1000;
/** Further writes are left to the process that opens the store next. */
const MAX_WRITES = 10_000;
/** Clean-ups are many where callers go on during an outage, and the loss of one is a key or a hold that stays. */
const MAX_CLEAN_UPS = 1_000;

const TOO_MANY_CLEAN_UPS =
  'too many clean-ups wait for the store; keys and holds of refused calls may stay until this process ends';

type Write = () => Promise<unknown>;

export class LateWrites {
  readonly #runtime: Runtime;
  readonly #writes: Write[] = [];
  readonly #cleanUps: Write[] = [];
  #hasDropped = false;
  #timer: ReturnType<Runtime['after']> | undefined = undefined;
  #retrying: Promise<void> | undefined = undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get size(): number {
    return this.#writes.length + this.#cleanUps.length;
  }

  /** Writes now. A write that fails rejects, and is repeated later, so it must be idempotent. */
  async attempt(write: Write): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.add(write);
      throw error;
    }
  }

  add(write: Write): void {
    if (this.#writes.length >= MAX_WRITES) {
      this.#runtime.log.error(
        'too many writes wait for the store; one is left to the next process',
      );
      return;
    }
    this.#writes.push(write);
    this.#arm();
  }

  /**
   * Adds what gives back something that a call may hold although the store refused it: its key, its price,
   * its intent. Every call makes some while the store is away, so they have less room, and wait for the rest.
   */
  addCleanUp(write: Write): void {
    if (this.#cleanUps.length >= MAX_CLEAN_UPS) {
      if (!this.#hasDropped) this.#runtime.log.error(TOO_MANY_CLEAN_UPS);
      this.#hasDropped = true;
      return;
    }
    this.#cleanUps.push(write);
    this.#arm();
  }

  /** Writes what it can, in order. Never fails. */
  retry(): Promise<void> {
    this.#retrying ??= this.#writeAll().finally(() => {
      this.#retrying = undefined;
    });
    return this.#retrying;
  }

  async close(): Promise<void> {
    this.#timer?.cancel();
    await this.retry();
    this.#timer?.cancel();
  }

  #arm(): void {
    if (this.#timer) return;
    this.#timer = this.#runtime.after(RETRY_MS, () => {
      void this.retry().finally(() => {
        this.#timer = undefined;
        if (this.size > 0) this.#arm();
      });
    });
    this.#timer.keepAlive(false);
  }

  async #writeAll(): Promise<void> {
    let written = 0;
    try {
      for (const queue of [this.#writes, this.#cleanUps]) {
        for (let write = queue[0]; write; write = queue[0]) {
          await write();
          queue.shift();
          written += 1;
        }
      }
      this.#hasDropped = false;
    } catch (error) {
      this.#runtime.log.warn('the store still cannot write', { error: thrownText(error) });
    }
    if (written > 0) this.#runtime.log.info('what the store had missed is written', { written });
  }
}
