/** The stored record of one alert: its firing and pending subjects, its notifications, and its silence. */
import type { AlertEvent, AlertSilence } from '../../contract/alerts.ts';

/** Keeps the newest events, and those with a delivery that still waits. */
const MAX_EVENTS = 100;

/** One subject whose condition holds, or held within the cool-down. */
export interface SubjectRecord {
  /** When the condition began to hold; absent while it does not. */
  readonly since?: number;
  /** When it fired last. */
  readonly firedAt?: number;
  readonly isFiring: boolean;
  /** True after a notification that it fires: one that it resolved follows. */
  readonly isTold: boolean;
}

/** A notification with the time of the next attempt to deliver it. */
export interface StoredEvent extends AlertEvent {
  readonly retryAt: number;
  /** An attempt is under way until then at most: no other process makes one before. */
  readonly busyUntil?: number;
}

export interface AlertRecord {
  /** Grows with every change: a change replaces only the record that it was computed from. */
  readonly version: number;
  readonly subjects: Readonly<Record<string, SubjectRecord>>;
  /** Oldest first. */
  readonly events: readonly StoredEvent[];
  readonly silence?: AlertSilence;
  /** Why the condition cannot be evaluated, or what was left out. */
  readonly problem?: string;
}

/** Makes a record without a prototype, so that a tool called `constructor` is not found in an empty one. */
export const noSubjects = (): Record<string, SubjectRecord> => Object.create(null);

export const EMPTY_RECORD: AlertRecord = { version: 0, subjects: noSubjects(), events: [] };

const isWaiting = ({ deliveries }: AlertEvent): boolean =>
  deliveries.some(({ state }) => state === 'waiting');

/** Drops the oldest events without a waiting delivery. */
export const boundedEvents = (events: readonly StoredEvent[]): readonly StoredEvent[] => {
  let excess = events.length - MAX_EVENTS;
  if (excess <= 0) return events;
  const remaining = events.filter((event) => isWaiting(event) || excess-- <= 0);
  // A receiver that has not answered for long gets only the newest.
  return remaining.slice(-2 * MAX_EVENTS);
};

export const isSilenced = ({ silence }: AlertRecord, now: number): boolean =>
  silence !== undefined && silence.until > now;
