/** What is kept of one alert: who is not well, what was told, and a silence. */
import type { AlertEvent, AlertSilence } from '../../contract/alerts.ts';

/** The newest are kept, and those that are still to be told. */
export const MAX_EVENTS = 100;

/** One subject whose condition holds, or held within the cool-down. */
export interface SubjectRecord {
  /** Since when the condition holds; absent while it does not. */
  readonly since?: number;
  /** When it fired last. */
  readonly firedAt?: number;
  /** It fires. */
  readonly isFiring: boolean;
  /** That it fires was told, so that its end will be. */
  readonly isTold: boolean;
}

/** A notification with the moment of the next attempt to tell it. */
export interface StoredEvent extends AlertEvent {
  readonly retryAt: number;
  /** An attempt is under way, for so long at most: no other process makes one meanwhile. */
  readonly busyUntil?: number;
}

export interface AlertRecord {
  /** Counts the changes: a change is written only over the record that it was made from. */
  readonly version: number;
  readonly subjects: Readonly<Record<string, SubjectRecord>>;
  /** Oldest first. */
  readonly events: readonly StoredEvent[];
  readonly silence?: AlertSilence;
  /** Why the condition cannot be worked out, or what was left out. */
  readonly problem?: string;
}

/** Without a prototype, so that a tool called `constructor` is no subject that was there before. */
export const noSubjects = (): Record<string, SubjectRecord> => Object.create(null);

export const EMPTY_RECORD: AlertRecord = { version: 0, subjects: noSubjects(), events: [] };

export const isWaiting = ({ deliveries }: AlertEvent): boolean =>
  deliveries.some(({ state }) => state === 'waiting');

/** Drops the oldest events that nobody waits for. */
export const boundedEvents = (events: readonly StoredEvent[]): readonly StoredEvent[] => {
  let excess = events.length - MAX_EVENTS;
  if (excess <= 0) return events;
  const kept = events.filter((event) => isWaiting(event) || excess-- <= 0);
  // A receiver that is away for long: the newest count.
  return kept.slice(-2 * MAX_EVENTS);
};

export const isSilenced = ({ silence }: AlertRecord, now: number): boolean =>
  silence !== undefined && silence.until > now;
