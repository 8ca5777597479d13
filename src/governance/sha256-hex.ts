/** The fingerprint by which content is recognised later. */
import { createHash } from 'node:crypto';

export const sha256Hex = (content: Uint8Array | string): string =>
  createHash('sha256').update(content).digest('hex');
