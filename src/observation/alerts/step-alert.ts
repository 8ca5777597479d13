/** Moves the record of an alert on by one evaluation: what begins to fire, what resolves, what is told. */
import type { AlertDefinition, AlertDelivery, AlertNotification } from '../../contract/alerts.ts';
import { MINUTE_MS, spanMs } from '../../kit/data/durations.ts';
import {
  type AlertRecord,
  boundedEvents,
  isSilenced,
  noSubjects,
  type StoredEvent,
  type SubjectRecord,
} from './alert-record.ts';
import type { Judged } from './compiled-alert.ts';

const DEFAULT_COOL_DOWN_MS = 5 * MINUTE_MS;

export interface AlertStep {
  readonly id: string;
  readonly definition: AlertDefinition;
  readonly findings: readonly Judged[];
  readonly now: number;
  newId(): string;
}

const AT_REST: SubjectRecord = { isFiring: false, isTold: false };

/** The actions of an alert; one that names none is logged. */
export const actionsOf = ({ actions }: AlertDefinition) => actions ?? [{ type: 'log' } as const];

export const deliveriesOf = (definition: AlertDefinition): readonly AlertDelivery[] =>
  actionsOf(definition).map(({ type }) => ({ action: type, state: 'waiting', attempts: 0 }));

const WORDS = { 'alert.fired': 'fires', 'alert.resolved': 'is over', 'alert.tested': 'is tested' };

type Told = Pick<AlertNotification, 'type' | 'subject' | 'at' | 'since' | 'values'>;

/** Makes what is told of one subject. */
export const notificationOf = (
  { id: alert, definition, newId }: Pick<AlertStep, 'id' | 'definition' | 'newId'>,
  told: Told,
): AlertNotification => {
  const { severity = 'warning', when: condition } = definition;
  // Without the subject, which stands beside it: in a sentence, the name of a token looks like a secret.
  const summary = definition.summary ?? `The alert ${alert} ${WORDS[told.type]}.`;
  return { id: newId(), alert, severity, summary, condition, ...told };
};

/** A clock that was set back must not put off what fires: nothing was seen later than now. */
const untilNow = (subject: SubjectRecord, now: number): SubjectRecord => {
  const { since, firedAt } = subject;
  if ((since ?? 0) <= now && (firedAt ?? 0) <= now) return subject;
  return {
    ...subject,
    ...(since !== undefined && { since: Math.min(since, now) }),
    ...(firedAt !== undefined && { firedAt: Math.min(firedAt, now) }),
  };
};

/** Ends a subject whose condition does not hold, or goes on to when it fires. */
const moved = (
  before: SubjectRecord,
  { holds }: Judged,
  { definition, now }: AlertStep,
): SubjectRecord => {
  const { since: _, ...rest } = before;
  // What could not be worked out changes nothing.
  if (holds === undefined) return before;
  if (!holds) return { ...rest, isFiring: false };
  const { since = now, firedAt } = before;
  const forMs = spanMs(definition.for ?? '0s') ?? 0;
  const coolDownMs = spanMs(definition.coolDown ?? '') ?? DEFAULT_COOL_DOWN_MS;
  const isCool = firedAt === undefined || now - firedAt >= coolDownMs;
  if (before.isFiring || now - since < forMs || !isCool) return { ...before, since };
  return { since, firedAt: now, isFiring: true, isTold: false };
};

/** What has to be told of a subject after it moved; nothing when that was told or never has to be. */
const typeOf = (before: SubjectRecord, after: SubjectRecord): Told['type'] | undefined => {
  if (after.isFiring) return after.isTold ? undefined : 'alert.fired';
  return before.isFiring && before.isTold ? 'alert.resolved' : undefined;
};

/** A subject at rest is forgotten when its cool-down is over. */
const isForgotten = (subject: SubjectRecord, { definition, now }: AlertStep): boolean => {
  if (subject.since !== undefined || subject.isFiring) return false;
  const coolDownMs = spanMs(definition.coolDown ?? '') ?? DEFAULT_COOL_DOWN_MS;
  return now - (subject.firedAt ?? 0) >= coolDownMs;
};

/** Subjects that were not found any more, e.g. a server that was removed, have no condition that holds. */
const allFindings = (record: AlertRecord, findings: readonly Judged[]): readonly Judged[] => {
  const found = new Set(findings.map(({ subject }) => subject));
  const gone = Object.keys(record.subjects).filter((subject) => !found.has(subject));
  return [...findings, ...gone.map((subject) => ({ subject, holds: false, values: {} }))];
};

/**
 * Gives the record after an evaluation, with what has to be told appended. A silence keeps it from being
 * told, and what still fires when the silence is over is told then.
 */
export const stepAlert = (record: AlertRecord, step: AlertStep): AlertRecord => {
  const { definition, now } = step;
  const silenced = isSilenced(record, now);
  const subjects = noSubjects();
  const events: StoredEvent[] = [];
  for (const finding of allFindings(record, step.findings)) {
    const { subject, values } = finding;
    const before = untilNow(record.subjects[subject] ?? AT_REST, now);
    const after = moved(before, finding, step);
    const type = typeOf(before, after);
    const isNewlyFiring = after.isFiring && !before.isFiring;
    const isTold = type === 'alert.fired' ? !silenced : after.isFiring && after.isTold;
    const next: SubjectRecord = { ...after, isTold };
    if (!isForgotten(next, step)) subjects[subject] = next;
    // A firing that a silence hides is put down once.
    if (type === undefined || (silenced && type === 'alert.fired' && !isNewlyFiring)) continue;
    const since = before.since ?? now;
    events.push({
      ...notificationOf(step, { type, subject, at: now, since, values }),
      silenced,
      // The end of what was told is told after the silence: receivers would wait for it for ever.
      deliveries: silenced && type === 'alert.fired' ? [] : deliveriesOf(definition),
      retryAt: now,
    });
  }
  const { problem: _, ...rest } = record;
  return { ...rest, subjects, events: boundedEvents([...record.events, ...events]) };
};
