/**
 * Lets one process at a time evaluate an alert: each process has its own view of servers and circuits,
 * and two of them would contradict each other. Another process takes over when the lease of a dead one
 * ends.
 */
import type { MemoryStore } from '../../contract/store.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { ALERT_SPACE } from './alert-records.ts';

const KEY = 'leases';

export interface AlertLease {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly until: number;
}

type Leases = Readonly<Record<string, AlertLease>>;

export interface AlertLeasesDeps {
  readonly memory: Pick<MemoryStore, 'read' | 'update'>;
  /** Names this process. */
  readonly holder: string;
  readonly leaseMs: number;
  now(): number;
}

const isLease = (value: unknown): value is AlertLease =>
  isRecord(value) && typeof value.holder === 'string' && typeof value.until === 'number';

export class AlertLeases {
  readonly #deps: AlertLeasesDeps;

  constructor(deps: AlertLeasesDeps) {
    this.#deps = deps;
  }

  /** Takes or renews the leases of these alerts; returns the ids of those that this process holds now. */
  async take(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { memory, holder, leaseMs, now } = this.#deps;
    const at = now();
    const mine = new Set<string>();
    await memory.update({ space: ALERT_SPACE, key: KEY, now: at }, (stored) => {
      mine.clear();
      const leases = this.#current(stored, at);
      for (const id of ids) {
        const lease = leases.get(id);
        if (lease && lease.holder !== holder) continue;
        leases.set(id, { holder, at, until: at + leaseMs });
        mine.add(id);
      }
      return Object.fromEntries(leases);
    });
    return mine;
  }

  /** Ends the leases of this process, so that another one need not wait. */
  async release(): Promise<void> {
    const { memory, holder, now } = this.#deps;
    const at = now();
    await memory.update({ space: ALERT_SPACE, key: KEY, now: at }, (stored) => {
      const leases = this.#current(stored, at);
      for (const [id, lease] of leases) {
        // Ended, not deleted: it still records when the alert was last evaluated.
        if (lease.holder === holder) leases.set(id, { ...lease, until: at });
      }
      return Object.fromEntries(leases);
    });
  }

  /** Reads when each alert was last evaluated, by any process. */
  async evaluatedAt(): Promise<ReadonlyMap<string, number>> {
    const { memory, now } = this.#deps;
    const stored = (await memory.read(ALERT_SPACE, KEY, now())) as Leases | undefined;
    return new Map(
      Object.entries(stored ?? {}).flatMap(([id, lease]) =>
        isLease(lease) ? [[id, lease.at] as const] : [],
      ),
    );
  }

  /** Picks the leases in force. One that ends later than a lease can was planted, or written by another clock. */
  #current(stored: unknown, at: number): Map<string, AlertLease> {
    const { leaseMs } = this.#deps;
    return new Map(
      Object.entries((stored ?? {}) as Leases).filter(
        ([, lease]) => isLease(lease) && lease.until > at && lease.until <= at + 2 * leaseMs,
      ),
    );
  }
}
