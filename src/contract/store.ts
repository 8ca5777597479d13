/**
 * The port to everything that must outlive a call: audit, intents, budgets, counters, replays,
 * memory, snapshots, approvals and large results. Each method is atomic, and resolves only when
 * what it did is as durable as the driver can make it. A write that fails rejects with a
 * `ToolFailure` of code STORE_UNAVAILABLE.
 */
import type { ApprovalRecord, ApprovalState, EditedInput } from './approver.ts';
import type { AuditEntry, AuditLog } from './audit.ts';
import type { Flows } from './flow-store.ts';
import type { Grants } from './grant.ts';
import type { RollUps } from './metrics.ts';
import type { ToolResult } from './result.ts';
import type { Tokens } from './tokens.ts';
import type { Vectors } from './vectors.ts';

/** A call whose intent is on record and whose outcome is not. */
export interface OpenIntent {
  readonly entry: AuditEntry;
  /** False when the process that claimed it has died: the call is in doubt. */
  readonly ownerAlive: boolean;
  /**
   * True when that process has ended for certain, so that nothing of the call goes on. One that was only
   * silent for too long may wake up. Absent where the store cannot tell.
   */
  readonly ownerEnded?: boolean;
  /** True when the call ran on another machine: its files cannot be looked at from here. */
  readonly isElsewhere?: boolean;
}

export interface Intents {
  open(): Promise<readonly OpenIntent[]>;
  /**
   * Writes the outcome of a call in doubt. False, and nothing is written, when its intent is not open
   * any more or its process lives after all: of several that recover at once one writes.
   */
  conclude(outcome: AuditEntry): Promise<boolean>;
}

export interface BudgetScope {
  /** E.g. `user:alice:2026-11-15`. */
  readonly key: string;
  readonly limitMicros: number;
  /** No limit when absent. */
  readonly limitCalls?: number;
  readonly limitTokens?: number;
}

export interface Reservation {
  readonly executionId: string;
  readonly scopes: readonly BudgetScope[];
  readonly amountMicros: number;
  /** None when absent. Every reservation also holds one call. */
  readonly tokens?: number;
}

export type BudgetUnit = 'micros' | 'calls' | 'tokens';

export type ReserveOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly scope: string;
      readonly unit: BudgetUnit;
      /** What the scope has left of the unit. */
      readonly available: number;
    };

/** What a call really used. */
export interface Spending {
  readonly micros: number;
  readonly tokens: number;
}

export interface BudgetLine {
  readonly key: string;
  readonly spentMicros: number;
  readonly heldMicros: number;
  /** Calls settled in this scope. */
  readonly calls: number;
  readonly heldCalls: number;
  readonly tokens: number;
  readonly heldTokens: number;
}

/** Calls, and the tokens they used, that are counted in one line. */
export interface BudgetCount {
  readonly key: string;
  readonly calls: number;
  readonly tokens: number;
}

/** Whole numbers: millionths of a dollar, calls, tokens. What is spent and held never exceeds a limit. */
export interface Ledger {
  /** Holds the amount in every scope, or in none. */
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  /** Tells whether the amount could be held, and holds nothing. */
  covers(reservation: Omit<Reservation, 'executionId'>): Promise<ReserveOutcome>;
  /** Holds more for a call that holds something already, in every scope or in none. */
  extend(executionId: string, more: Spending): Promise<ReserveOutcome>;
  /** Counts calls for which nothing was held, without comparing them with a limit. */
  tally(counts: readonly BudgetCount[]): Promise<void>;
  /** Turns the hold into spending of what was really used, and one call. Unknown ids are ignored. */
  settle(executionId: string, actual: Spending): Promise<void>;
  release(executionId: string): Promise<void>;
  /** Lists the holds whose process has died. */
  orphans(): Promise<readonly Reservation[]>;
  /**
   * Ends the hold of a process that has died: books what the call may have cost and one call, or, without
   * that, nothing. False, and nothing is changed, when there is no such hold or its process lives after all.
   */
  endOrphan(executionId: string, actual?: Spending): Promise<boolean>;
  /** Lists the lines whose key starts with the prefix. */
  lines(prefix: string): Promise<readonly BudgetLine[]>;
}

export interface Window {
  readonly sizeMs: number;
  readonly limit: number;
}

export type HitOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly retryAfterMs: number };

export interface Counters {
  /** Counts one hit in every window, or refuses and counts in none. Windows start at multiples of their size. */
  hit(key: string, windows: readonly Window[], now: number): Promise<HitOutcome>;
  /** Tells whether a hit would be counted, and counts none. */
  peek(key: string, windows: readonly Window[], now: number): Promise<HitOutcome>;
}

export type ReplayClaim =
  /** Nobody used the key: the call may go on, and must `finish` or `abandon`. */
  | { readonly state: 'new' }
  | { readonly state: 'done'; readonly result: ToolResult }
  /** Another call with this key is running. */
  | { readonly state: 'running'; readonly executionId: string }
  /** The process that used the key has died and its call is in doubt. */
  | { readonly state: 'unknown'; readonly executionId: string }
  /** The key belongs to another input. */
  | { readonly state: 'mismatch' };

export interface ReplayRequest {
  readonly key: string;
  readonly digest: string;
  readonly executionId: string;
  readonly now: number;
}

export interface Replays {
  claim(request: ReplayRequest): Promise<ReplayClaim>;
  /** Stores the result. Does nothing where the key belongs to another execution by now. */
  finish(
    claim: { readonly key: string; readonly executionId?: string },
    result: ToolResult,
    expiresAt: number,
  ): Promise<void>;
  /** Frees the key after a call that had no effect; with an execution id, only while the key belongs to it. */
  abandon(key: string, executionId?: string): Promise<void>;
  /**
   * Frees the key of a call in doubt that did nothing, in one step: its process is gone and no intent of
   * it is on record. False, and nothing is freed, when the process lives after all, when the call has
   * begun, and where the trail was pruned: the intent may be among the rows that are gone.
   */
  abandonDead(key: string, executionId: string): Promise<boolean>;
  /** Frees the key whatever became of it, its result included: what it stood for is to be done anew. */
  forget(key: string): Promise<void>;
  /**
   * Ends the doubt about a call: stores what it answered, or frees its key where it did nothing. False, and
   * nothing is changed, where no key is in doubt because of this execution.
   */
  settle(executionId: string, answer: SettledReplay | undefined): Promise<boolean>;
}

/** What a call in doubt turned out to have answered. */
export interface SettledReplay {
  readonly result: ToolResult;
  readonly expiresAt: number;
}

/** When an item expires, and the present moment. */
export interface Expiry {
  readonly at: number;
  readonly now: number;
}

export interface MemoryStore {
  read(space: string, key: string, now: number): Promise<unknown>;
  /**
   * Writes a value. Each write of one that expires also forgets a few others that have expired, so that
   * they do not pile up.
   */
  write(item: {
    readonly space: string;
    readonly key: string;
    readonly value: unknown;
    readonly expiry?: Expiry;
  }): Promise<void>;
  /** Changes a value and returns the new one. `change` is synchronous and runs inside the transaction. */
  update(
    at: { readonly space: string; readonly key: string; readonly now: number },
    change: (value: unknown) => unknown,
  ): Promise<unknown>;
  delete(space: string, key: string): Promise<boolean>;
  /** Forgets a whole space, e.g. when a session ends. */
  clear(space: string): Promise<void>;
}

/** What a file was before a call touched it, and what the call meant to make of it. */
export interface Snapshot {
  readonly executionId: string;
  /** 0, 1, 2 … in the order of the call's writes; undo goes backwards. */
  readonly order: number;
  /** Absolute. */
  readonly path: string;
  /** `undefined` when there was no file. */
  readonly before: Uint8Array | undefined;
  readonly beforeMode: number | undefined;
  /** SHA-256, hex, of the content written; `undefined` for a removal. */
  readonly afterHash: string | undefined;
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
  /** Where the file is, when that is not the store's own `place`: it cannot be restored from here. */
  readonly elsewhere?: string;
}

export interface Snapshots {
  /** Keeps it as one of this place, whatever its `elsewhere` says. */
  save(snapshot: Snapshot): Promise<void>;
  /** Lists the snapshots of a call, in the order of its writes. */
  of(executionId: string): Promise<readonly Snapshot[]>;
  /** Forgets them once they are restored. */
  drop(executionId: string): Promise<void>;
  /**
   * Forgets the calls whose last snapshot was kept before that moment; returns how many snapshots were
   * deleted. All snapshots of a call are deleted together: undoing with half of them would restore a
   * state that never existed.
   */
  expire(before: number): Promise<number>;
}

/** A question that is about to be added to the inbox. */
export interface Parking {
  readonly record: ApprovalRecord;
  /** The most open questions that one user may have. */
  readonly maxWaiting: number;
  /** Takes an open question about the same call, by its `callKey`, instead of adding a second one. */
  readonly reuse: boolean;
  readonly now: number;
}

export type ParkOutcome =
  | { readonly state: 'parked' }
  | { readonly state: 'same'; readonly record: ApprovalRecord }
  | { readonly state: 'full' };

export interface Approvals {
  create(record: ApprovalRecord): Promise<void>;
  /**
   * Adds a waiting record if its user has room for one more, in one step for all processes. Expired ones
   * become denied by `NOBODY_IN_TIME` first, and do not count.
   */
  park(parking: Parking): Promise<ParkOutcome>;
  /** Lists the records of one call that are in this state, newest first. Reads no others. */
  matching(callKey: string, state: ApprovalState): Promise<readonly ApprovalRecord[]>;
  get(id: string): Promise<ApprovalRecord | undefined>;
  /** Lists approvals, newest first. */
  list(state?: ApprovalState): Promise<readonly ApprovalRecord[]>;
  /** Decides a waiting record; false when it is not waiting any more. */
  decide(
    id: string,
    decision: {
      readonly approve: boolean;
      readonly by: string;
      readonly at: number;
      readonly note?: string;
      readonly edited?: EditedInput;
      readonly seal?: string;
    },
  ): Promise<boolean>;
  /** Marks an approved, unexpired record as used. True for exactly one caller, ever. */
  use(id: string, now: number): Promise<boolean>;
}

export interface StoredResult {
  readonly handle: string;
  readonly userId: string;
  readonly executionId: string;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly keptAt: number;
}

export interface Results {
  put(result: StoredResult): Promise<void>;
  /**
   * Reads a slice of the text, by characters; `undefined` for an unknown handle or another user's.
   */
  read(
    handle: string,
    userId: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly text: string; readonly total: number } | undefined>;
  /** Forgets the results of one call. */
  drop(executionId: string): Promise<void>;
  /** Forgets what was kept before that moment; says how many. */
  expire(before: number): Promise<number>;
}

/** How far a store has come, for following what other processes write. */
export interface StoreMark {
  /** Differs from the number read before when another process has written since. */
  readonly foreignVersion: number;
  /** The number of the last row of the audit trail; 0 while there is none. */
  readonly lastSeq: number;
}

/** Records which key seals a store that several machines share. */
export interface SealKey {
  /** Remembers a public key unless there is one, and returns the one that is remembered. */
  claim(publicKey: string): Promise<string>;
  /** Remembers another one: what was sealed by the key before counts for nothing from now on. */
  replace(publicKey: string): Promise<void>;
}

export interface Store {
  /** What `doctor` prints, e.g. `sqlite at /path`. */
  readonly label: string;
  /** Where the files of this process are. Absent for a store whose processes all have the same files. */
  readonly place?: string;
  /** What is kept can be read and nothing added: no call may run on it. */
  readonly isReadOnly?: boolean;
  readonly audit: AuditLog;
  readonly intents: Intents;
  readonly ledger: Ledger;
  readonly counters: Counters;
  readonly replays: Replays;
  readonly memory: MemoryStore;
  readonly snapshots: Snapshots;
  readonly approvals: Approvals;
  readonly grants: Grants;
  readonly tokens: Tokens;
  readonly results: Results;
  readonly flows: Flows;
  readonly vectors: Vectors;
  readonly rollUps: RollUps;
  /**
   * Reads how far the store has come; absent where no other process can write to it. Cheap enough
   * to be called often.
   */
  mark?(): Promise<StoreMark>;
  /** Absent for a store that only processes of one user reach. */
  readonly sealKey?: SealKey;
  /** Flushes what is pending and lets go of the file. Safe to call twice. */
  close(): Promise<void>;
}
