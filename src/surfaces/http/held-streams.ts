/**
 * Holds the streams that stay open, each with the identity that may read it. All of them are checked
 * once a second, not by a timer each; those whose token, session or JWT is no longer good end, and so do
 * those that cannot be checked.
 */
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { Identity } from './auth/identity.ts';
import type { IdentityCheck } from './auth/recheck-identities.ts';

export interface HeldStreams {
  hold(identity: Identity, end: () => void): () => void;
  /** Checks all at once, because a token or session has just ended here. Never rejects. */
  look(): Promise<void>;
  /** Watches no more; the streams are left as they are. */
  close(): void;
}

interface Held {
  readonly identity: Identity;
  end(): void;
}

/** As long as a token that another process revoked may be good for elsewhere. */
const LOOK_EVERY_MS = 1000;
/** A store that has not answered for so many looks counts as one that cannot be asked. */
const MAX_UNANSWERED = 5;

class Streams implements HeldStreams {
  readonly #runtime: Pick<Runtime, 'after'>;
  readonly #check: IdentityCheck;
  readonly #held = new Set<Held>();
  #timer: Timer | undefined = undefined;
  #isLooking = false;
  #isWantedAgain = false;
  #unanswered = 0;

  constructor(runtime: Pick<Runtime, 'after'>, check: IdentityCheck) {
    this.#runtime = runtime;
    this.#check = check;
  }

  hold(identity: Identity, end: () => void): () => void {
    const held = { identity, end };
    this.#held.add(held);
    this.#timer ??= this.#later();
    return () => this.#release(held);
  }

  async look(): Promise<void> {
    if (this.#isLooking) {
      // What is being read may be older than what made us look.
      this.#isWantedAgain = true;
      return;
    }
    this.#isLooking = true;
    do {
      this.#isWantedAgain = false;
      await this.#judge([...this.#held]);
    } while (this.#isWantedAgain);
    this.#isLooking = false;
    this.#unanswered = 0;
  }

  close(): void {
    this.#held.clear();
    this.#rest();
  }

  async #judge(all: readonly Held[]): Promise<void> {
    const isGood = await this.#check(all.map(({ identity }) => identity)).catch(() => () => false);
    for (const held of all) if (!isGood(held.identity)) this.#end(held);
  }

  #tick(): void {
    this.#timer = this.#later();
    if (!this.#isLooking) return void this.look();
    this.#unanswered += 1;
    if (this.#unanswered < MAX_UNANSWERED) return;
    for (const held of [...this.#held]) this.#end(held);
  }

  #end(held: Held): void {
    if (!this.#held.has(held)) return;
    this.#release(held);
    held.end();
  }

  #release(held: Held): void {
    this.#held.delete(held);
    if (this.#held.size === 0) this.#rest();
  }

  #rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #later(): Timer {
    const timer = this.#runtime.after(LOOK_EVERY_MS, () => this.#tick());
    timer.keepAlive(false);
    return timer;
  }
}

export const createHeldStreams = (
  runtime: Pick<Runtime, 'after'>,
  check: IdentityCheck,
): HeldStreams => new Streams(runtime, check);
