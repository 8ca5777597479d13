/** Reads the anchor of a pruned trail as the databases keep it. */
import type { AuditCheckpoint } from '../contract/audit.ts';

export interface AnchorRecord {
  readonly seq: number;
  readonly checkpoint: string;
}

/** Replaces an anchor that cannot be read: it has no signature, so verification fails. */
const unreadable = (seq: number): AuditCheckpoint => ({
  version: 1,
  seq,
  hash: '',
  at: 0,
  store: '',
  publicKey: '',
  signature: '',
});

export const readAnchor = ({ seq, checkpoint }: AnchorRecord): AuditCheckpoint => {
  try {
    const anchor = JSON.parse(checkpoint) as AuditCheckpoint;
    if (anchor.seq === seq && typeof anchor.hash === 'string') return anchor;
  } catch {
    // Falls through: Toolcrib did not write it.
  }
  return unreadable(seq);
};
