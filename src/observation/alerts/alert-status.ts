/** Derives the state of an alert, as people see it, from its record. */
import type { AlertState, AlertStatus, AlertSubject } from '../../contract/alerts.ts';
import { compact } from '../../kit/data/compact.ts';
import { type AlertRecord, isSilenced } from './alert-record.ts';
import type { CompiledAlert } from './compiled-alert.ts';

export interface AlertStatusDeps {
  /** When each alert was last evaluated. */
  readonly evaluated: ReadonlyMap<string, number>;
  readonly now: number;
  readonly leaseMs: number;
}

const subjectsOf = ({ subjects }: AlertRecord): readonly AlertSubject[] =>
  Object.entries(subjects).flatMap(([subject, { since, firedAt, isFiring }]) =>
    since === undefined
      ? []
      : [
          {
            subject,
            state: isFiring ? 'firing' : 'pending',
            since,
            ...(isFiring && firedAt !== undefined && { firedAt }),
          },
        ],
  );

const stateOf = (
  subjects: readonly AlertSubject[],
  isCurrent: boolean,
  problem: string | undefined,
): AlertState => {
  if (subjects.some(({ state }) => state === 'firing')) return 'firing';
  if (!isCurrent || (problem !== undefined && subjects.length === 0)) return 'unknown';
  return subjects.length > 0 ? 'pending' : 'ok';
};

export const statusOf = <Facts>(
  { id, definition, origin }: CompiledAlert<Facts>,
  record: AlertRecord,
  { evaluated, now, leaseMs }: AlertStatusDeps,
): AlertStatus => {
  const evaluatedAt = evaluated.get(id);
  const subjects = subjectsOf(record);
  const isCurrent = evaluatedAt !== undefined && now - evaluatedAt <= leaseMs;
  const { problem, silence, events } = record;
  const lastFiredAt = events.findLast(({ type }) => type === 'alert.fired')?.at;
  return {
    id,
    definition,
    origin,
    subjects,
    state: stateOf(subjects, isCurrent, problem),
    ...(silence && isSilenced(record, now) && { silence }),
    ...compact({ evaluatedAt, lastFiredAt, problem }),
  };
};

const ORDER: readonly AlertState[] = ['firing', 'pending', 'unknown', 'ok'];

/** Sorts by state, the worst first, then by name. */
export const worstFirst = (statuses: readonly AlertStatus[]): readonly AlertStatus[] =>
  [...statuses].sort(
    (one, other) =>
      ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || one.id.localeCompare(other.id),
  );
