/** What walking the chain found, and how to say it. */
import { count } from '../../components/format.ts';

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly rows: number;
  readonly head?: AuditHead;
  readonly problem?: { readonly kind: string; readonly seq: number; readonly message: string };
}

export interface Checkpoint extends AuditHead {
  readonly version: number;
  readonly at: number;
  readonly store: string;
  readonly publicKey: string;
  readonly signature: string;
}

/** What each fault means to somebody who did not write the format. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['edited', 'A row was changed after it was written.'],
  ['gap', 'Rows are missing in the middle.'],
  ['truncated', 'Rows are missing at the end.'],
  ['bad-start', 'The trail does not begin where it should.'],
  ['bad-checkpoint', 'A signed checkpoint does not fit the trail.'],
]);

export interface VerificationText {
  readonly title: string;
  readonly checked: string;
  /** Empty when all is well. */
  readonly meaning: string;
  readonly message: string;
}

const rowsText = (rows: number): string => (rows === 1 ? '1 row' : `${count(rows)} rows`);

export const verificationText = ({ ok, rows, head, problem }: Verification): VerificationText => {
  const upTo = head ? `, up to row ${head.seq}` : '';
  if (ok && !problem) {
    const title = rows === 0 ? 'The trail is empty' : 'The chain is whole';
    const checked = `${rowsText(rows)} checked${upTo}: every hash fits the row before it.`;
    return { title, checked, meaning: '', message: '' };
  }
  return {
    title: problem ? `The chain is broken at row ${problem.seq}` : 'The chain is broken',
    checked: `${rowsText(rows)} checked${upTo}.`,
    meaning: MEANINGS.get(problem?.kind ?? '') ?? 'The trail cannot be trusted as it is.',
    message: problem?.message ?? '',
  };
};

export const checkpointFile = ({ seq }: Checkpoint): string => `toolcrib-checkpoint-${seq}.json`;
