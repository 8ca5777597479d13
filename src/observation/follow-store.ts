/**
 * Follows what other processes write to the same store, so that the console of this process shows their
 * calls and approvals too. Reads the store only while it is switched on.
 */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { AuditRow } from '../contract/audit.ts';
import type { Events } from '../contract/events.ts';
import type { Runtime, Timer } from '../contract/runtime.ts';
import type { Store, StoreMark } from '../contract/store.ts';

/** Receives the changes, those of this process included. */
export interface StoreChanges {
  /** Receives an intent, an outcome or an event of the trail. */
  row(row: AuditRow): void;
  asked(record: ApprovalRecord): void;
  /** Receives an approval that was decided, withdrawn or has expired. */
  decided(record: ApprovalRecord): void;
  /** Called instead of `row` when more was written than is reported row by row. */
  overflowed(): void;
}

export interface FollowStoreDeps {
  store(): Promise<Pick<Store, 'mark' | 'audit' | 'approvals'>>;
  readonly runtime: Pick<Runtime, 'after' | 'log'>;
  /** Reports the approvals that this process requests; another process may decide them. */
  readonly events: Events;
  readonly changes: StoreChanges;
}

export interface StoreFollower {
  /** Switches it on or off. */
  watch(isWatched: boolean): void;
}

/** Short enough to show a call of another process within a second, reading and sending included. */
const LOOK_EVERY_MS = 400;
/** The most rows that are reported one by one; above this, clients load the list again. */
const MAX_ROWS = 500;

type Followed = Awaited<ReturnType<FollowStoreDeps['store']>>;

class Follower implements StoreFollower {
  readonly #deps: FollowStoreDeps;
  #timer: Timer | undefined = undefined;
  #isWatched = false;
  #isLooking = false;
  /** The mark of the store when it was last read. */
  #mark: StoreMark | undefined = undefined;
  /** The approvals that wait, as far as this process knows. */
  readonly #waiting = new Set<string>();
  #stop: (() => void) | undefined = undefined;

  constructor(deps: FollowStoreDeps) {
    this.#deps = deps;
  }

  watch(isWatched: boolean): void {
    if (isWatched === this.#isWatched) return;
    this.#isWatched = isWatched;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#stop?.();
    this.#stop = undefined;
    this.#mark = undefined;
    this.#waiting.clear();
    if (!isWatched) return;
    this.#stop = this.#deps.events.on('approval.requested', ({ approvalId }) => {
      this.#waiting.add(approvalId);
    });
    void this.#look();
  }

  /** Compares the store with the last mark. Never rejects: a store that cannot be read now is read again later. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    let isFollowable = true;
    try {
      const store = await this.#deps.store();
      isFollowable = store.mark !== undefined;
      await this.#compare(store);
    } catch (error) {
      this.#deps.runtime.log.debug('The store could not be followed.', { error: String(error) });
    }
    this.#isLooking = false;
    if (this.#isWatched && isFollowable) this.#again();
  }

  #again(): void {
    this.#timer?.cancel();
    this.#timer = this.#deps.runtime.after(LOOK_EVERY_MS, () => void this.#look());
    this.#timer.keepAlive(false);
  }

  async #compare(store: Followed): Promise<void> {
    const mark = await store.mark?.();
    if (!mark) return;
    const before = this.#mark;
    // Nobody else has written: all rows up to this mark are our own.
    if (before?.foreignVersion === mark.foreignVersion) this.#mark = mark;
    else if (before) {
      await this.#tellRows(store, before.lastSeq, mark.lastSeq);
      await this.#tellQuestions(store);
      this.#mark = mark;
    } else {
      for (const { id } of await store.approvals.list('waiting')) this.#waiting.add(id);
      this.#mark = mark;
    }
    // Switched off meanwhile: switching on again begins with a new mark.
    if (!this.#isWatched) this.#mark = undefined;
  }

  async #tellRows({ audit }: Followed, after: number, last: number): Promise<void> {
    if (last <= after) return;
    if (last - after > MAX_ROWS) {
      this.#deps.changes.overflowed();
      return;
    }
    for await (const page of audit.scan(after + 1)) {
      for (const row of page) if (row.seq <= last) this.#deps.changes.row(row);
      if ((page.at(-1)?.seq ?? last) >= last) return;
    }
  }

  async #tellQuestions({ approvals }: Followed): Promise<void> {
    const { changes } = this.#deps;
    const before = [...this.#waiting];
    const open = new Map((await approvals.list('waiting')).map((record) => [record.id, record]));
    for (const record of open.values()) {
      if (this.#waiting.has(record.id)) continue;
      this.#waiting.add(record.id);
      changes.asked(record);
    }
    for (const id of before) {
      const record = open.has(id) ? undefined : await approvals.get(id);
      if (!record || record.state === 'waiting') continue;
      this.#waiting.delete(id);
      changes.decided(record);
    }
  }
}

export const createStoreFollower = (deps: FollowStoreDeps): StoreFollower => new Follower(deps);
