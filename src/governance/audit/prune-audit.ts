/**
 * Prunes the old part of the trail and keeps the rest verifiable. The rows are verified before a
 * signed anchor takes their place, so that pruning cannot hide an edit.
 */
import { basename } from 'node:path';
import type { AuditEntry } from '../../contract/audit.ts';
import type { Caller } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Store } from '../../contract/store.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { auditEvent } from './audit-event.ts';
import { type AuditHead, makeAnchor } from './checkpoint.ts';
import { findCuts } from './find-cuts.ts';
import { type VerifyLogOptions, verifyAuditLog } from './verify-audit.ts';
import { writeArchive } from './write-archive.ts';

export interface PruneOptions extends Pick<VerifyLogOptions, 'checkpoints' | 'onRows'> {
  /** Rows from this time on are kept. Milliseconds since the epoch. */
  readonly before: number;
  readonly key: SigningKey;
  /** The time that the anchor and the event carry. */
  readonly at: number;
  /** A file that does not exist yet: gets the rows before they are forgotten. */
  readonly archive?: string;
  /** Further public keys whose anchors and checkpoints count. */
  readonly trustedKeys?: readonly string[];
  /** Rows a transaction, about. */
  readonly step?: number;
  readonly caller?: Pick<Caller, 'userId' | 'agentId' | 'sessionId'>;
}

export interface Pruned {
  readonly rows: number;
  /** The last row that went; 0 when none did. */
  readonly throughSeq: number;
}

/** Rows that go in one transaction: other processes wait no longer than that takes. */
const STEP = 50_000;

const keysOf = ({ key, trustedKeys = [] }: PruneOptions): readonly string[] => [
  key.publicKey,
  ...trustedKeys,
];

export const notSound = (problem: string): ToolFailure =>
  new ToolFailure('CONFLICT', `The trail is not sound, so nothing was pruned. ${problem}`, {
    suggestions: ['Look into it first: toolcrib audit verify'],
  });

const assertSound = async (
  { audit }: Pick<Store, 'audit'>,
  options: VerifyLogOptions,
): Promise<void> => {
  const { problem } = await verifyAuditLog(audit, options);
  if (problem) throw notSound(problem.message);
};

type EventFacts = Pick<PruneOptions, 'at' | 'before' | 'archive' | 'caller'> & {
  /** The setting that asked for it, where no person did. */
  readonly setting?: string;
};

/** Makes the row that records a pruning. */
export const pruneEvent = ({ rows, throughSeq }: Pruned, options: EventFacts): AuditEntry => {
  const { at, before, caller } = options;
  const archive = options.archive === undefined ? {} : { archive: basename(options.archive) };
  const setting = options.setting === undefined ? {} : { setting: options.setting };
  const detail = { pruned: rows, throughSeq, before, ...archive, ...setting };
  return auditEvent({ tool: 'audit_prune', at, detail }, caller);
};

/** Prunes step by step, each with its own anchor: whenever this stops, the trail is whole. */
const pruneTo = async (
  { audit, label }: Pick<Store, 'audit' | 'label'>,
  cuts: readonly AuditHead[],
  options: PruneOptions,
): Promise<Pruned> => {
  const { at, key } = options;
  let pruned: Pruned = { rows: 0, throughSeq: 0 };
  try {
    for (const cut of cuts) {
      const went = await audit.prune(makeAnchor(cut, { at, store: label, key }));
      pruned = { rows: pruned.rows + went, throughSeq: cut.seq };
    }
  } finally {
    if (pruned.rows > 0) await audit.append(pruneEvent(pruned, options));
  }
  return pruned;
};

/**
 * Prunes and gives what was pruned. Throws CONFLICT when the trail is not sound, when the archive
 * exists, or when another process pruned meanwhile; then no row is lost that is not in the archive.
 */
export const pruneAudit = async (
  store: Pick<Store, 'audit' | 'label'>,
  options: PruneOptions,
): Promise<Pruned> => {
  const { audit } = store;
  const { archive, before, step = STEP } = options;
  await assertSound(store, { ...options, trustedKeys: keysOf(options) });
  const anchor = await audit.anchor();
  const cuts = await findCuts(audit, before, step);
  const last = cuts.at(-1);
  if (archive !== undefined && last) {
    await writeArchive(archive, audit, { anchor, last, trustedKeys: keysOf(options) });
  }
  return pruneTo(store, cuts, options);
};

/** Counts what pruning would remove. Throws CONFLICT when the trail is not sound. */
export const foreseePrune = async (
  store: Pick<Store, 'audit'>,
  { before, ...options }: VerifyLogOptions & Pick<PruneOptions, 'before'>,
): Promise<Pruned> => {
  const { audit } = store;
  await assertSound(store, options);
  const anchor = await audit.anchor();
  const last = (await findCuts(audit, before, STEP)).at(-1);
  return last
    ? { rows: last.seq - (anchor?.seq ?? 0), throughSeq: last.seq }
    : { rows: 0, throughSeq: 0 };
};
