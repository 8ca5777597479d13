/**
 * Makes, checks and parses signed notes of how far the trail had come: checkpoints, which people
 * keep elsewhere, and anchors, after which a pruned trail begins. The two are signed over different
 * texts, so that nobody can present a checkpoint as an anchor and cut away what came before it.
 */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { isText } from '../../kit/data/is-text.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { isPublicKey, verifySignature } from '../signing/verify-signature.ts';

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

/** Gives the exact text that is signed; docs/audit-format.md describes it. */
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

/** Makes a checkpoint of this row; no head is a trail without rows. */
export const makeCheckpoint = (
  head: AuditHead | undefined,
  facts: CheckpointFacts,
): AuditCheckpoint => signed(head ?? EMPTY_HEAD, facts, 'checkpoint');

/** Makes an anchor, which vouches for the rows that are about to be pruned. */
export const makeAnchor = (head: AuditHead, facts: CheckpointFacts): AuditCheckpoint =>
  signed(head, facts, 'anchor');

/** Says what is wrong with a note; `undefined` when one of the trusted keys signed it. */
export const checkCheckpoint = (
  note: AuditCheckpoint,
  trustedKeys: readonly string[],
  purpose: NotePurpose = 'checkpoint',
): string | undefined => {
  const { publicKey, signature } = note;
  if (!trustedKeys.includes(publicKey)) return 'is signed by a key that is not trusted';
  const text = checkpointText(note, purpose);
  return verifySignature({ publicKey, text, signature })
    ? undefined
    : 'does not match its signature: it was changed or forged';
};

const MAX_LENGTH = 16_384;

const CHECKS: Readonly<Record<keyof AuditCheckpoint, (value: unknown) => boolean>> = {
  version: (value) => value === 1,
  seq: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  hash: (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  at: (value) => Number.isSafeInteger(value),
  store: isText,
  publicKey: (value) => isText(value) && isPublicKey(value),
  signature: (value) => isText(value) && /^[A-Za-z0-9+/]{86}==$/.test(value),
};

const refuse = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, {
    suggestions: ['Give it exactly as `toolcrib audit checkpoint` printed it.'],
  });

const readObject = (text: string): Readonly<Record<string, unknown>> => {
  let value: unknown;
  try {
    value = text.length > MAX_LENGTH ? undefined : JSON.parse(text);
  } catch {
    // Falls through: no object.
  }
  if (isRecord(value)) return value;
  throw refuse('The checkpoint is not a JSON object.');
};

/** Parses a checkpoint. Throws VALIDATION_ERROR for a wrong part; ignores the signature. */
export const parseCheckpoint = (text: string): AuditCheckpoint => {
  const value = readObject(text);
  const unknown = Object.keys(value).some((name) => !Object.hasOwn(CHECKS, name));
  if (unknown) throw refuse('The checkpoint has a part that no checkpoint has.');
  for (const [name, isSound] of Object.entries(CHECKS)) {
    if (!isSound(value[name])) throw refuse(`The checkpoint has no valid "${name}".`);
  }
  const note = value as unknown as AuditCheckpoint;
  const { version, seq, hash, at, store, publicKey, signature } = note;
  return { version, seq, hash, at, store, publicKey, signature };
};
