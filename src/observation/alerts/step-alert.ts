/** Computes the record of an alert after one evaluation: what fires, what resolves, and the notifications. */
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

const coolDownMs = ({ coolDown = '' }: AlertDefinition): number =>
  spanMs(coolDown) ?? DEFAULT_COOL_DOWN_MS;

/** Lists the actions of an alert; the default is to log it. */
export const actionsOf = ({ actions }: AlertDefinition) => actions ?? [{ type: 'log' } as const];

export const deliveriesOf = (definition: AlertDefinition): readonly AlertDelivery[] =>
  actionsOf(definition).map(({ type }) => ({ action: type, state: 'waiting', attempts: 0 }));

const WORDS = { 'alert.fired': 'fires', 'alert.resolved': 'is over', 'alert.tested': 'is tested' };

type NotificationFacts = Pick<AlertNotification, 'type' | 'subject' | 'at' | 'since' | 'values'>;

/** Makes the notification about one subject. */
export const notificationOf = (
  { id: alert, definition, newId }: Pick<AlertStep, 'id' | 'definition' | 'newId'>,
  facts: NotificationFacts,
): AlertNotification => {
  const { severity = 'warning', when: condition } = definition;
  // Without the subject, which has its own field: inside a sentence the name of a token would be
  // redacted.
  const summary = definition.summary ?? `The alert ${alert} ${WORDS[facts.type]}.`;
  return { id: newId(), alert, severity, summary, condition, ...facts };
};

/** Limits the times of a subject to now: after the clock was set back, times ahead would delay firing. */
const untilNow = (subject: SubjectRecord, now: number): SubjectRecord => {
  const { since, firedAt } = subject;
  if ((since ?? 0) <= now && (firedAt ?? 0) <= now) return subject;
  return {
    ...subject,
    ...(since !== undefined && { since: Math.min(since, now) }),
    ...(firedAt !== undefined && { firedAt: Math.min(firedAt, now) }),
  };
};

/** Computes the next state of a subject: at rest, pending, or firing. */
const nextState = (
  before: SubjectRecord,
  { holds }: Judged,
  { definition, now }: AlertStep,
): SubjectRecord => {
  const { since: _, ...rest } = before;
  // A condition that could not be evaluated changes nothing.
  if (holds === undefined) return before;
  if (!holds) return { ...rest, isFiring: false };
  const { since = now, firedAt } = before;
  const forMs = spanMs(definition.for ?? '0s') ?? 0;
  const isCool = firedAt === undefined || now - firedAt >= coolDownMs(definition);
  if (before.isFiring || now - since < forMs || !isCool) return { ...before, since };
  return { since, firedAt: now, isFiring: true, isTold: false };
};

/** Returns the type of the notification that a change of state needs; `undefined` when it needs none. */
const typeOf = (
  before: SubjectRecord,
  after: SubjectRecord,
): NotificationFacts['type'] | undefined => {
  if (after.isFiring) return after.isTold ? undefined : 'alert.fired';
  return before.isFiring && before.isTold ? 'alert.resolved' : undefined;
};

/** Tells whether a subject can be dropped: it is at rest, and its cool-down is over. */
const isForgotten = (subject: SubjectRecord, { definition, now }: AlertStep): boolean => {
  if (subject.since !== undefined || subject.isFiring) return false;
  return now - (subject.firedAt ?? 0) >= coolDownMs(definition);
};

/** Adds a finding that does not hold for recorded subjects without one, e.g. a server that was removed. */
const allFindings = (record: AlertRecord, findings: readonly Judged[]): readonly Judged[] => {
  const subjects = new Set(findings.map(({ subject }) => subject));
  const missing = Object.keys(record.subjects).filter((subject) => !subjects.has(subject));
  return [...findings, ...missing.map((subject) => ({ subject, holds: false, values: {} }))];
};

/**
 * Returns the record after an evaluation, with the new notifications. During a silence nothing is
 * delivered; what still fires when it ends is delivered then.
 */
export const stepAlert = (record: AlertRecord, step: AlertStep): AlertRecord => {
  const { definition, now } = step;
  const silenced = isSilenced(record, now);
  const subjects = noSubjects();
  const events: StoredEvent[] = [];
  for (const finding of allFindings(record, step.findings)) {
    const { subject, values } = finding;
    const before = untilNow(record.subjects[subject] ?? AT_REST, now);
    const after = nextState(before, finding, step);
    const type = typeOf(before, after);
    const isNewlyFiring = after.isFiring && !before.isFiring;
    const isTold = type === 'alert.fired' ? !silenced : after.isFiring && after.isTold;
    const next: SubjectRecord = { ...after, isTold };
    if (!isForgotten(next, step)) subjects[subject] = next;
    // A silenced alert that keeps firing is recorded once, not at every evaluation.
    if (type === undefined || (silenced && type === 'alert.fired' && !isNewlyFiring)) continue;
    const since = before.since ?? now;
    events.push({
      ...notificationOf(step, { type, subject, at: now, since, values }),
      silenced,
      // Receivers that were told that it fires also learn that it resolved, after the silence.
      deliveries: silenced && type === 'alert.fired' ? [] : deliveriesOf(definition),
      retryAt: now,
    });
  }
  const { problem: _, ...rest } = record;
  return { ...rest, subjects, events: boundedEvents([...record.events, ...events]) };
};
