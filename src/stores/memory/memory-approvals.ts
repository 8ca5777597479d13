/** Approvals in memory: a record is waiting, then decided once, then used once. */
import {
  type ApprovalRecord,
  type ApprovalState,
  NOBODY_IN_TIME,
} from '../../contract/approver.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Approvals, Parking, ParkOutcome } from '../../contract/store.ts';
import { jsonCopy } from '../plain-json.ts';

/** Ids under a key: of the open questions of a user, of the records of a call. */
class IdIndex {
  readonly #ids = new Map<string, Set<string>>();

  add(key: string, id: string): void {
    const ids = this.#ids.get(key);
    if (ids) ids.add(id);
    else this.#ids.set(key, new Set([id]));
  }

  delete(key: string, id: string): void {
    const ids = this.#ids.get(key);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(key);
  }

  of(key: string): ReadonlySet<string> {
    return this.#ids.get(key) ?? new Set();
  }
}

const newestFirst = (records: readonly ApprovalRecord[]): readonly ApprovalRecord[] =>
  [...records].reverse().sort((a, b) => b.createdAt - a.createdAt);

class MemoryApprovals implements Approvals {
  readonly #records = new Map<string, ApprovalRecord>();
  readonly #waiting = new Map<string, ApprovalRecord>();
  readonly #waitingByUser = new IdIndex();
  readonly #byCall = new IdIndex();
  /** No open question ends before this moment. */
  #firstExpiry = Number.POSITIVE_INFINITY;

  async create(record: ApprovalRecord): Promise<void> {
    if (this.#records.has(record.id)) {
      throw new ToolFailure('CONFLICT', 'An approval of this id exists already.');
    }
    this.#put(jsonCopy(record));
    if (record.callKey !== undefined) this.#byCall.add(record.callKey, record.id);
  }

  async park({ record, maxWaiting, reuse, now }: Parking): Promise<ParkOutcome> {
    this.#expire(now);
    const [same] = reuse ? this.#find(record.callKey, 'waiting') : [];
    if (same) return { state: 'same', record: jsonCopy(same) };
    if (this.#waitingByUser.of(record.userId).size >= maxWaiting) return { state: 'full' };
    await this.create(record);
    return { state: 'parked' };
  }

  async get(id: string): Promise<ApprovalRecord | undefined> {
    const record = this.#records.get(id);
    return record && jsonCopy(record);
  }

  async matching(callKey: string, state: ApprovalState): Promise<readonly ApprovalRecord[]> {
    return this.#find(callKey, state).map(jsonCopy);
  }

  async list(state?: ApprovalState): Promise<readonly ApprovalRecord[]> {
    const all = [...(state === 'waiting' ? this.#waiting : this.#records).values()];
    const records = state === undefined ? all : all.filter((record) => record.state === state);
    return newestFirst(records).map(jsonCopy);
  }

  async decide(id: string, decision: Parameters<Approvals['decide']>[1]): Promise<boolean> {
    const { approve, by, at, ...rest } = decision;
    const record = this.#waiting.get(id);
    if (!record) return false;
    const state = approve ? 'approved' : 'denied';
    this.#put({ ...record, ...jsonCopy(rest), state, decidedBy: by, decidedAt: at });
    return true;
  }

  async use(id: string, now: number): Promise<boolean> {
    const record = this.#records.get(id);
    if (record?.state !== 'approved' || record.expiresAt <= now) return false;
    this.#put({ ...record, state: 'used' });
    return true;
  }

  #put(record: ApprovalRecord): void {
    const { id, userId, state, expiresAt } = record;
    this.#records.set(id, record);
    if (state === 'waiting') {
      this.#waiting.set(id, record);
      this.#waitingByUser.add(userId, id);
      this.#firstExpiry = Math.min(this.#firstExpiry, expiresAt);
    } else if (this.#waiting.delete(id)) this.#waitingByUser.delete(userId, id);
  }

  #find(callKey: string | undefined, state: ApprovalState): readonly ApprovalRecord[] {
    if (callKey === undefined) return [];
    const records = [...this.#byCall.of(callKey)].map((id) => this.#records.get(id));
    return newestFirst(records.filter((record) => record?.state === state) as ApprovalRecord[]);
  }

  #expire(now: number): void {
    if (now < this.#firstExpiry) return;
    this.#firstExpiry = Number.POSITIVE_INFINITY;
    for (const record of [...this.#waiting.values()]) {
      if (record.expiresAt > now) {
        this.#firstExpiry = Math.min(this.#firstExpiry, record.expiresAt);
        continue;
      }
      this.#put({ ...record, state: 'denied', decidedBy: NOBODY_IN_TIME, decidedAt: now });
    }
  }
}

export const memoryApprovals = (): Approvals => new MemoryApprovals();
