/**
 * Signs the end of the trail automatically, after a number of rows or minutes, and delivers each
 * checkpoint to where no user of this machine can change it. No call waits for it; a failed delivery
 * is logged and repeated.
 */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { thrownText } from '../../kit/data/reason-of.ts';

/** The interval at which the end of the trail is read: one cheap query, and no call pays for it. */
const LOOK_MS = 1000;
const MAX_WAIT_MS = 300_000;
const MINUTE_MS = 60_000;
/** The newest undelivered ones are kept: each vouches for all rows before it. */
const MAX_PENDING = 100;

/** Where the processes on one store record the last delivery. No tool reaches this space. */
const SPACE = '["audit-checkpoints"]';
const KEY = 'state';

export interface CheckpointState {
  /** The row of the last checkpoint that was delivered, and when; 0 for none. */
  readonly deliveredSeq: number;
  readonly deliveredAt: number;
  /** Why the last delivery failed; absent when it did not. */
  readonly problem?: string;
}

export interface AutoCheckpointsDeps {
  readonly store: Pick<Store, 'audit' | 'memory'>;
  readonly runtime: Pick<Runtime, 'now' | 'elapsed' | 'after' | 'log'>;
  readonly every: number;
  readonly minutes: number;
  /** Reads the checkpoints of this store in the user's own file, oldest first. */
  recall(): Promise<readonly AuditCheckpoint[]>;
  /** Signs the end of the trail and records the checkpoint. */
  sign(): Promise<AuditCheckpoint>;
  deliver(note: AuditCheckpoint): Promise<void>;
}

const NOTHING = { seq: 0, at: 0, hash: '' };
const NEVER: CheckpointState = { deliveredSeq: 0, deliveredAt: 0 };

/** Reads the last delivery by any process on the store. */
export const readCheckpointState = async (
  { memory }: Pick<Store, 'memory'>,
  now: number,
): Promise<CheckpointState> =>
  ((await memory.read(SPACE, KEY, now)) as CheckpointState | undefined) ?? NEVER;

export class AutoCheckpoints {
  readonly #deps: AutoCheckpointsDeps;
  #pending: AuditCheckpoint[] = [];
  /** The last checkpoint that was signed. */
  #last: Pick<AuditCheckpoint, 'seq' | 'at' | 'hash'> = NOTHING;
  #isReady = false;
  #timer: Timer | undefined = undefined;
  #working: Promise<void> | undefined = undefined;
  #waitMs = 0;
  #retryAt = 0;

  constructor(deps: AutoCheckpointsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = this.#deps.runtime.after(LOOK_MS, () => {
      void this.look().finally(() => {
        if (this.#timer) this.start();
      });
    });
    this.#timer.keepAlive(false);
  }

  /** Delivers what is due for the last time, and stops. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#working;
    this.#retryAt = 0;
    await this.look();
  }

  /** Signs and delivers what is due. Never fails. */
  look(): Promise<void> {
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        this.#deps.runtime.log.warn('no checkpoint could be made', { error: thrownText(error) });
      })
      .finally(() => {
        this.#working = undefined;
      });
    return this.#working;
  }

  async #work(): Promise<void> {
    const { store, runtime, recall } = this.#deps;
    await this.#remember();
    const head = await store.audit.head();
    if (head && this.#isDue(head.seq)) {
      // Another process on the store may have signed meanwhile.
      this.#last = (await recall()).at(-1) ?? NOTHING;
      if (this.#isDue(head.seq)) await this.#sign();
    }
    if (this.#pending.length > 0 && runtime.elapsed() >= this.#retryAt) await this.#handOver();
  }

  /** Signs only a trail that agrees with the last checkpoint: a signature would vouch for it. */
  async #sign(): Promise<void> {
    const { store, sign } = this.#deps;
    const { seq, hash } = this.#last;
    const anchor = await store.audit.anchor();
    if (seq > (anchor?.seq ?? 0)) {
      const [row] = await store.audit.query({ seq, limit: 1 });
      if (row?.hash !== hash)
        throw new Error(`row ${seq} is not as it was signed: run audit verify`);
    }
    const note = await sign();
    this.#last = note;
    this.#pending = [...this.#pending, note].slice(-MAX_PENDING);
  }

  /** Continues where the process before this one stopped. */
  async #remember(): Promise<void> {
    if (this.#isReady) return;
    const { store, runtime, recall } = this.#deps;
    const { deliveredSeq } = await readCheckpointState(store, runtime.now());
    const notes = await recall();
    this.#pending = notes.filter(({ seq }) => seq > deliveredSeq).slice(-MAX_PENDING);
    this.#last = notes.at(-1) ?? NOTHING;
    this.#isReady = true;
  }

  #isDue(seq: number): boolean {
    const { every, minutes, runtime } = this.#deps;
    const rows = seq - this.#last.seq;
    // The last one may be of a clock that was ahead.
    const age = Math.abs(runtime.now() - this.#last.at);
    return rows >= every || (rows > 0 && age >= minutes * MINUTE_MS);
  }

  async #handOver(): Promise<void> {
    const { runtime, deliver } = this.#deps;
    let delivered: AuditCheckpoint | undefined;
    try {
      for (let note = this.#pending[0]; note; note = this.#pending[0]) {
        await deliver(note);
        delivered = note;
        this.#pending.shift();
      }
      this.#waitMs = 0;
      await this.#say(delivered);
    } catch (error) {
      this.#waitMs = Math.min(Math.max(this.#waitMs * 2, LOOK_MS), MAX_WAIT_MS);
      this.#retryAt = runtime.elapsed() + this.#waitMs;
      const problem = thrownText(error);
      const waiting = this.#pending.length;
      runtime.log.warn('checkpoints could not be handed over', { waiting, error: problem });
      await this.#say(delivered, problem);
    }
  }

  async #say(delivered: AuditCheckpoint | undefined, problem?: string): Promise<void> {
    const { store, runtime } = this.#deps;
    const now = runtime.now();
    const before = await readCheckpointState(store, now);
    const { deliveredSeq, deliveredAt } = delivered
      ? { deliveredSeq: delivered.seq, deliveredAt: now }
      : before;
    const value = { deliveredSeq, deliveredAt, ...(problem !== undefined && { problem }) };
    await store.memory.write({ space: SPACE, key: KEY, value });
  }
}
