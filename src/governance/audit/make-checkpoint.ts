/**
 * Signed notes of how far the trail had come: checkpoints, which people keep elsewhere, and anchors,
 * after which a pruned trail begins. The two are signed over different texts, so that nobody can
 * pass a checkpoint off as an anchor and so cut away what came before it.
 */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';

export type NotePurpose = 'checkpoint' | 'anchor';

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

export interface CheckpointFacts {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The label of the store. */
  readonly store: string;
  readonly key: SigningKey;
}

/** The head of a trail without rows: what the first row is bound to. */
export const EMPTY_HEAD: AuditHead = { seq: 0, hash: '0'.repeat(64) };

/** The exact text that is signed; docs/audit-format.md describes it. */
export const checkpointText = (
  note: Omit<AuditCheckpoint, 'signature'>,
  purpose: NotePurpose = 'checkpoint',
): string =>
  [
    `toolcrib audit ${purpose} ${note.version}`,
    `seq ${note.seq}`,
    `hash ${note.hash}`,
    `at ${note.at}`,
    `store ${JSON.stringify(note.store)}`,
    `key ${note.publicKey}`,
    '',
  ].join('\n');

const signed = (
  { seq, hash }: AuditHead,
  { at, store, key }: CheckpointFacts,
  purpose: NotePurpose,
): AuditCheckpoint => {
  const { publicKey } = key;
  const note = { version: 1, seq, hash, at: Math.trunc(at), store, publicKey } as const;
  return { ...note, signature: key.sign(checkpointText(note, purpose)) };
};

/** Notes that the trail had come to this row; no head is a trail without rows. */
export const makeCheckpoint = (
  head: AuditHead | undefined,
  facts: CheckpointFacts,
): AuditCheckpoint => signed(head ?? EMPTY_HEAD, facts, 'checkpoint');

/** Vouches for the rows up to this one, which are about to be pruned. */
export const makeAnchor = (head: AuditHead, facts: CheckpointFacts): AuditCheckpoint =>
  signed(head, facts, 'anchor');
