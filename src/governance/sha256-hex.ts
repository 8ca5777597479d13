/** The fingerprint by which a file's content is recognised later. */
import { createHash } from 'node:crypto';

export const sha256Hex = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');
