/** Whether a checkpoint or an anchor says what a trusted key signed. */
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { verifySignature } from '../signing/verify-signature.ts';
import { checkpointText, type NotePurpose } from './make-checkpoint.ts';

/** What is wrong with it, in words; `undefined` when it can be relied on. No trusted key, no trust. */
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
