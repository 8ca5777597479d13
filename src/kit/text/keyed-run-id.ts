/** The id of a run that a client names by a key of its own, the same on every surface. */
import { createHash } from 'node:crypto';

export interface RunKey {
  readonly userId: string;
  readonly flow: string;
  readonly key: string;
}

/** Makes the id of a run from a key: the same key of two callers, or two flows, makes two runs. */
export const keyedRunId = ({ userId, flow, key }: RunKey): string => {
  const parts = JSON.stringify([userId, flow, key]);
  return `key-${createHash('sha256').update(parts).digest('base64url').slice(0, 32)}`;
};
