/** Reads a checkpoint from the text people keep. Strict: what is not exactly one is refused. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { isPublicKey } from '../signing/verify-signature.ts';

const LARGEST = 16_384;

const isText = (value: unknown): value is string => typeof value === 'string';

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
    value = text.length > LARGEST ? undefined : JSON.parse(text);
  } catch {
    // Falls through: no object.
  }
  if (isRecord(value)) return value;
  throw refuse('The checkpoint is not a JSON object.');
};

/** Throws VALIDATION_ERROR that names the part that is wrong. Does not look at the signature. */
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
