/**
 * Delivers the waiting notifications of a record. Each attempt is recorded before it is made, and its end
 * after it: when a process dies in between, another one repeats the attempt under the same id. Delivery
 * is at least once.
 */
import type {
  AlertDefinition,
  AlertDelivery,
  AlertEvent,
  AlertNotification,
} from '../../contract/alerts.ts';
import { ERRORS } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { compact } from '../../kit/data/compact.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { isCoded, isError, reasonOf } from '../../kit/data/reason-of.ts';
import { type AlertRecord, isSilenced, type StoredEvent } from './alert-record.ts';
import type { AlertRecords } from './alert-records.ts';
import type { CompiledAlert } from './compiled-alert.ts';
import { actionsOf } from './step-alert.ts';

const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 5 * MINUTE_MS;
/** How long an attempt may take where its action sets no limit. */
const ATTEMPT_MS = 10_000;
/** The time left to record the end of an attempt. */
const WRITE_MS = 5000;
/** A notification is not delivered any more after a day. */
const GIVE_UP_MS = DAY_MS;

const DONE = { state: 'done' } as const;
const STALE = {
  state: 'failed',
  problem: 'The alert does not have this action any more.',
} as const;

export interface DeliverDeps {
  readonly records: AlertRecords;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  /** Tells whether this process still holds the lease; without it, another process may deliver. */
  isMine(): boolean;
}

const pauseAfter = (attempts: number): number =>
  Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));

/** Returns the notification in an event, without the state of its deliveries. */
export const notificationIn = (event: AlertEvent): AlertNotification => {
  const { id, type, alert, subject, severity, summary, condition, at, since, values } = event;
  return { id, type, alert, subject, severity, summary, condition, at, since, values };
};

interface DeliveryChange extends Partial<AlertDelivery> {
  /** Set on the event. */
  readonly retryAt?: number;
  /** Set on the event, and removed from it when absent. */
  readonly busyUntil?: number;
}

/** Changes one delivery of one event, given by the index of its action. */
const withDelivery = (
  record: AlertRecord,
  [eventId, index]: readonly [string, number],
  { retryAt, busyUntil, ...change }: DeliveryChange,
): AlertRecord => ({
  ...record,
  events: record.events.map((event) => {
    if (event.id !== eventId) return event;
    const deliveries = event.deliveries.map((delivery, at) =>
      at === index ? { ...delivery, ...change } : delivery,
    );
    const { busyUntil: _, ...rest } = event;
    const times = compact({ retryAt, busyUntil });
    return { ...rest, deliveries, ...times };
  }),
});

/** Tells whether another attempt cannot succeed. */
const isFinal = (error: unknown): boolean => {
  if (!isError(error) || !isCoded(error)) return false;
  return !(error.extras.retryable ?? ERRORS[error.code].retryable);
};

/** Returns the time limit of one attempt. A tool may take longer: its idempotency key prevents a second effect. */
const attemptLimit = (definition: AlertDefinition, index: number): number => {
  const action = actionsOf(definition)[index];
  const limit = action?.type === 'webhook' ? action.timeoutMs : undefined;
  return (limit ?? ATTEMPT_MS) + WRITE_MS;
};

/** Tells whether a time has come. One that is too far ahead counts as well: the clock was set back since. */
const hasCome = (moment: number, now: number): boolean =>
  moment <= now || moment > now + MAX_PAUSE_MS;

/** Makes one attempt. Returns true when it succeeded or is given up, false when it will be repeated. */
const attempt = async <Facts>(
  alert: CompiledAlert<Facts>,
  [event, index]: readonly [StoredEvent, number],
  { records, runtime }: DeliverDeps,
): Promise<boolean> => {
  const at = [event.id, index] as const;
  const attempts = (event.deliveries[index]?.attempts ?? 0) + 1;
  const busyUntil = runtime.now() + attemptLimit(alert.definition, index);
  await records.change(alert.id, (record) => withDelivery(record, at, { attempts, busyUntil }));
  try {
    await alert.act(index, notificationIn(event));
    await records.change(alert.id, (record) => withDelivery(record, at, DONE));
    return true;
  } catch (error) {
    const now = runtime.now();
    const isOver = isFinal(error) || now - event.at > GIVE_UP_MS;
    const problem = reasonOf(error);
    runtime.log.warn('An alert could not be told.', { alert: alert.id, event: event.id, problem });
    const state = isOver ? 'failed' : 'waiting';
    const retryAt = now + pauseAfter(attempts);
    await records.change(alert.id, (record) =>
      withDelivery(record, at, { state, problem, retryAt }),
    );
    return isOver;
  }
};

/** Gives up a delivery whose action was removed from the definition of the alert since. */
const dropStale = <Facts>(
  { definition, id }: CompiledAlert<Facts>,
  [event, index]: readonly [StoredEvent, number],
  { records }: DeliverDeps,
): Promise<unknown> | undefined => {
  if (actionsOf(definition)[index]?.type === event.deliveries[index]?.action) return undefined;
  return records.change(id, (record) => withDelivery(record, [event.id, index], STALE));
};

const isDue = ({ retryAt, busyUntil = 0 }: StoredEvent, now: number): boolean =>
  hasCome(retryAt, now) && hasCome(busyUntil, now);

/**
 * Delivers what is due of one alert, oldest first. A failed delivery about a subject holds back the newer
 * ones of the same action: no receiver learns that an alert resolved before it learns that it fired.
 */
export const deliverEvents = async <Facts>(
  alert: CompiledAlert<Facts>,
  deps: DeliverDeps,
): Promise<void> => {
  const { records, runtime, isMine } = deps;
  const record = await records.read(alert.id);
  if (isSilenced(record, runtime.now())) return;
  const delayed = new Set<string>();
  // Actions whose receiver did not answer: each is tried once in a round, however many events wait.
  const unreachable = new Set<number>();
  for (const event of record.events) {
    for (const [index, { state }] of event.deliveries.entries()) {
      if (state !== 'waiting') continue;
      const line = `${index} ${event.subject}`;
      if (!isMine()) return;
      if (!isDue(event, runtime.now()) || delayed.has(line) || unreachable.has(index)) {
        delayed.add(line);
        continue;
      }
      const at = [event, index] as const;
      if ((await dropStale(alert, at, deps)) || (await attempt(alert, at, deps))) continue;
      delayed.add(line);
      unreachable.add(index);
    }
  }
};
