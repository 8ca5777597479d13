/**
 * Tells what the records say is to be told. An attempt is put down before it is made and its end after it,
 * so that a process that dies in between has it made again under the same id: at least once, never lost.
 */
import type {
  AlertDefinition,
  AlertDelivery,
  AlertEvent,
  AlertNotification,
} from '../../contract/alerts.ts';
import { ERRORS } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/data/durations.ts';
import { isCoded, isError, reasonOf } from '../../kit/data/reason-of.ts';
import { type AlertRecord, isSilenced, type StoredEvent } from './alert-record.ts';
import type { AlertRecords } from './alert-records.ts';
import type { CompiledAlert } from './compiled-alert.ts';
import { actionsOf } from './step-alert.ts';

const FIRST_PAUSE_MS = 5000;
const MAX_PAUSE_MS = 5 * MINUTE_MS;
/** How long an attempt may take where its action sets no limit, and what is left for writing its end. */
const ATTEMPT_MS = 10_000;
const WRITE_MS = 5000;
/** After a day nobody needs to be told any more. */
const GIVE_UP_MS = DAY_MS;

const DONE = { state: 'done' } as const;
const STALE = {
  state: 'failed',
  problem: 'The alert does not have this action any more.',
} as const;

export interface DeliverDeps {
  readonly records: AlertRecords;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  /** False when another process may tell by now. */
  isMine(): boolean;
}

const pauseAfter = (attempts: number): number =>
  Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));

/** What is told, without how far that is. */
export const toldOf = (event: AlertEvent): AlertNotification => {
  const { id, type, alert, subject, severity, summary, condition, at, since, values } = event;
  return { id, type, alert, subject, severity, summary, condition, at, since, values };
};

interface DeliveryChange extends Partial<AlertDelivery> {
  /** Of its event. */
  readonly retryAt?: number;
  /** Of its event; it is not busy when absent. */
  readonly busyUntil?: number;
}

/** Changes one delivery of one event, by its number among the actions. */
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
    const times = {
      ...(retryAt !== undefined && { retryAt }),
      ...(busyUntil !== undefined && { busyUntil }),
    };
    return { ...rest, deliveries, ...times };
  }),
});

/** True where another try cannot help. */
const isFinal = (error: unknown): boolean => {
  if (!isError(error) || !isCoded(error)) return false;
  return !(error.extras.retryable ?? ERRORS[error.code].retryable);
};

/** How long one attempt takes at most. A tool may take longer: its idempotency key keeps it from a second effect. */
const longestAttempt = (definition: AlertDefinition, index: number): number => {
  const action = actionsOf(definition)[index];
  const limit = action?.type === 'webhook' ? action.timeoutMs : undefined;
  return (limit ?? ATTEMPT_MS) + WRITE_MS;
};

/** True for a moment that has come, and for one too far away: the clock was set back meanwhile. */
const hasCome = (moment: number, now: number): boolean =>
  moment <= now || moment > now + MAX_PAUSE_MS;

/** Makes one attempt; returns whether it has come to its end, well or not. */
const attempt = async <Facts>(
  alert: CompiledAlert<Facts>,
  [event, index]: readonly [StoredEvent, number],
  { records, runtime }: DeliverDeps,
): Promise<boolean> => {
  const at = [event.id, index] as const;
  const attempts = (event.deliveries[index]?.attempts ?? 0) + 1;
  const busyUntil = runtime.now() + longestAttempt(alert.definition, index);
  await records.change(alert.id, (record) => withDelivery(record, at, { attempts, busyUntil }));
  try {
    await alert.act(index, toldOf(event));
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

/** Gives up an action that the alert does not have any more: its definition was changed meanwhile. */
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
 * Tells what is due of one alert, oldest first. What one action could not tell of a subject is told before
 * anything newer: nobody hears that something is over before they heard of it.
 */
export const deliverEvents = async <Facts>(
  alert: CompiledAlert<Facts>,
  deps: DeliverDeps,
): Promise<void> => {
  const { records, runtime, isMine } = deps;
  const record = await records.read(alert.id);
  if (isSilenced(record, runtime.now())) return;
  const held = new Set<string>();
  // Receivers that do not answer: a round waits for each of them once, however much there is to tell.
  const away = new Set<number>();
  for (const event of record.events) {
    for (const [index, { state }] of event.deliveries.entries()) {
      if (state !== 'waiting') continue;
      const line = `${index} ${event.subject}`;
      if (!isMine()) return;
      if (!isDue(event, runtime.now()) || held.has(line) || away.has(index)) {
        held.add(line);
        continue;
      }
      const at = [event, index] as const;
      if ((await dropStale(alert, at, deps)) || (await attempt(alert, at, deps))) continue;
      held.add(line);
      away.add(index);
    }
  }
};
