/** The rows of the audit trail: append-only, each bound to the one before it by a hash. */
import type { ErrorCode } from './errors.ts';
import type { Tier } from './tool.ts';

/**
 * `intent` is written and synced before a side effect may happen, `outcome` when the call is over
 * (refused calls have only this), `event` for everything else (undo, recovery).
 */
export type AuditKind = 'intent' | 'outcome' | 'event';

export const AUDIT_STATUSES = [
  'success',
  'failure',
  'timeout',
  'cancelled',
  'denied',
  'pending',
  'started',
  'unknown',
  'undone',
] as const;

/** The statuses of results, and `started` for an intent, `unknown` for a call that a crash left in doubt. */
export type AuditStatus = (typeof AUDIT_STATUSES)[number];

export interface AuditEntry {
  readonly kind: AuditKind;
  readonly executionId: string;
  readonly at: number;
  readonly tool: string;
  readonly version: string;
  readonly tier: Tier | '';
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly status: AuditStatus;
  readonly code: ErrorCode | '';
  readonly durationMs: number;
  readonly costMicros: number;
  /** Redacted input, verdict, attempts, approver, effects: whatever explains the row. Plain JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRow extends AuditEntry {
  /** 1, 2, 3 … without a gap. */
  readonly seq: number;
  /** SHA-256, hex, over the previous hash and the canonical text of this row. */
  readonly hash: string;
}

export interface AuditFilter {
  readonly executionId?: string;
  readonly userId?: string;
  readonly tool?: string;
  /** Empty for calls of a name that no tool has. */
  readonly version?: string;
  readonly tier?: Tier;
  readonly status?: AuditStatus;
  /** Any of these; none for an empty list. */
  readonly statuses?: readonly AuditStatus[];
  readonly code?: ErrorCode | '';
  readonly kind?: AuditKind;
  /** Calls that took more than `overMs` and at most `upToMs` milliseconds. */
  readonly overMs?: number;
  readonly upToMs?: number;
  /** Milliseconds since the epoch; `from` inclusive, `to` exclusive. */
  readonly from?: number;
  readonly to?: number;
  /** The row of this number and no other. */
  readonly seq?: number;
  /** Rows with a smaller sequence number, for paging backwards. */
  readonly before?: number;
  /** Newest first, this many at most. */
  readonly limit?: number;
}

/**
 * What a row has to survive before its call is answered: `synced`, a power cut; `written`, the end of
 * this process, for calls that changed nothing. Such rows are synced a moment later.
 */
export type Durability = 'synced' | 'written';

/** An idempotency key and the execution that holds it. */
export interface IntentClaim {
  readonly key: string;
  readonly executionId: string;
}

/** Receives rows that this process has written: the number of the first, and all of them in order. */
export type WrittenListener = (first: number, entries: readonly AuditEntry[]) => void;

export interface AuditLog {
  /**
   * Appends a row. Resolves when the row is durable (`synced` by default); returns `undefined` when it is
   * durable already. An `intent` also opens the claim on its execution, an `outcome` closes it, in the
   * same transaction.
   */
  append(entry: AuditEntry, durability?: Durability): Promise<void> | undefined;
  /**
   * Records intents in one step, if every named claim still belongs to its execution. Fails with
   * CONFLICT, and records none, when another process has taken one over.
   */
  intend(entries: readonly AuditEntry[], claims: readonly IntentClaim[]): Promise<void>;
  /**
   * Calls the listener with rows of this process once they are committed, so that they need not be read
   * again; some may be left out. Returns a function that removes the listener. Drivers without this
   * ability leave the method out.
   */
  onWritten?(listener: WrittenListener): () => void;
  /** Returns the rows that fit, newest first. */
  query(filter?: AuditFilter): Promise<readonly AuditRow[]>;
  /** Reads the rows oldest first, in pages, for verification and export. */
  scan(fromSeq?: number): AsyncIterable<readonly AuditRow[]>;
  /** Reads the last row that survives a power cut, so that it may be noted elsewhere. */
  head(): Promise<{ readonly seq: number; readonly hash: string } | undefined>;
  /** Reads the signed row after which the rows that are left begin; `undefined` while nothing was pruned. */
  anchor(): Promise<AuditCheckpoint | undefined>;
  /**
   * Deletes the rows up to and with that of the checkpoint, which becomes the anchor. Resolves to
   * how many there were. Fails with CONFLICT when the row is another one, or when a call among them
   * is still open.
   */
  prune(anchor: AuditCheckpoint): Promise<number>;
}

/** A signed note of how far the trail had come. Kept elsewhere, it shows a rewritten or cut trail. */
export interface AuditCheckpoint {
  readonly version: 1;
  readonly seq: number;
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The store it speaks of, as people know it. */
  readonly store: string;
  /** Ed25519 public key, base64 of its 32 raw bytes. */
  readonly publicKey: string;
  /** Base64; docs/audit-format.md says over which text. */
  readonly signature: string;
}

export interface AuditVerification {
  readonly ok: boolean;
  readonly rows: number;
  readonly head: { readonly seq: number; readonly hash: string } | undefined;
  /** The first thing found wrong. */
  readonly problem?: {
    readonly kind: 'edited' | 'gap' | 'truncated' | 'bad-start' | 'bad-checkpoint';
    readonly seq: number;
    readonly message: string;
  };
}
