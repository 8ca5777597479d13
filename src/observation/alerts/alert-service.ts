/**
 * Evaluates alerts and reports their state. A process takes the lease of an alert, evaluates its
 * condition, writes the result into the record, and only then sends notifications.
 */
import type {
  AlertDelivery,
  AlertEvent,
  AlertSilence,
  AlertStatus,
  AlertTest,
} from '../../contract/alerts.ts';
import type { Events } from '../../contract/events.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { uuidV7 } from '../../kit/data/uuid-v7.ts';
import type { AlertLeases } from './alert-leases.ts';
import type { AlertRecord } from './alert-record.ts';
import type { AlertRecords } from './alert-records.ts';
import { type AlertStatusDeps, statusOf, worstFirst } from './alert-status.ts';
import type { CompiledAlert, Judgement } from './compiled-alert.ts';
import { deliverEvents, notificationIn } from './deliver-events.ts';
import { actionsOf, notificationOf, stepAlert } from './step-alert.ts';

export interface AlertServiceDeps<Facts> {
  readonly records: AlertRecords;
  readonly leases: AlertLeases;
  readonly leaseMs: number;
  readonly events: Pick<Events, 'emit'>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  /** Removes secrets and control characters from a notification or finding. */
  clean<T extends { readonly subject: string }>(value: T): T;
  /** Begins an evaluation: its facts are read once for all alerts. */
  openFacts(): Facts;
}

const DEFAULT_HISTORY = 100;

const isSame = (one: AlertRecord, other: AlertRecord): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

export class AlertService<Facts> {
  readonly #deps: AlertServiceDeps<Facts>;
  #round: Promise<void> | undefined = undefined;

  constructor(deps: AlertServiceDeps<Facts>) {
    this.#deps = deps;
  }

  /** Evaluates the alerts whose leases this process gets. Joins an evaluation that is already under way. */
  evaluate(alerts: readonly CompiledAlert<Facts>[]): Promise<void> {
    this.#round ??= this.#evaluate(alerts).finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #evaluate(alerts: readonly CompiledAlert<Facts>[]): Promise<void> {
    if (alerts.length === 0) return;
    const { leases, leaseMs, runtime, openFacts, records } = this.#deps;
    const until = runtime.now() + leaseMs;
    const mine = await leases.take(alerts.map(({ id }) => id));
    const facts = openFacts();
    // A process that was frozen must not write outdated results after its lease has ended.
    const isMine = (): boolean => runtime.now() < until;
    const work = async (alert: CompiledAlert<Facts>): Promise<void> => {
      await this.#step(alert, facts, isMine);
      await deliverEvents(alert, { records, runtime, isMine });
    };
    const outcomes = await Promise.allSettled(alerts.filter(({ id }) => mine.has(id)).map(work));
    const failed = outcomes.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  async #step(alert: CompiledAlert<Facts>, facts: Facts, isMine: () => boolean): Promise<void> {
    const { records, runtime, clean } = this.#deps;
    const recorded = Object.keys((await records.read(alert.id)).subjects);
    const { findings, problem } = await this.#judge(alert, facts, recorded);
    const newId = (): string => uuidV7(runtime.now());
    let made: readonly AlertEvent[] = [];
    await records.change(alert.id, (record) => {
      if (!isMine()) return undefined;
      const { id, definition } = alert;
      const next = stepAlert(record, { id, definition, findings, now: runtime.now(), newId });
      const before = new Set(record.events.map((event) => event.id));
      made = next.events.filter((event) => !before.has(event.id));
      const events = next.events.map((event) => (before.has(event.id) ? event : clean(event)));
      const changed = { ...next, events, ...(problem !== undefined && { problem }) };
      return isSame(record, changed) ? undefined : changed;
    });
    if (problem !== undefined)
      runtime.log.debug('An alert is in doubt.', { alert: alert.id, problem });
    for (const event of made) this.#emit(clean(event));
  }

  async #judge(
    alert: CompiledAlert<Facts>,
    facts: Facts,
    recorded: readonly string[],
  ): Promise<Judgement> {
    try {
      return await alert.judge(facts, recorded);
    } catch (error) {
      const findings = recorded.map((subject) => ({ subject, holds: undefined, values: {} }));
      return { findings, problem: reasonOf(error) };
    }
  }

  #emit({ id, type, alert, subject, severity, summary, silenced }: AlertEvent): void {
    const payload = { notificationId: id, alert, subject, severity, summary, silenced };
    if (type !== 'alert.tested') this.#deps.events.emit(type, payload);
  }

  /** Lists alerts with their state, those that fire first. */
  async list(alerts: readonly CompiledAlert<Facts>[]): Promise<readonly AlertStatus[]> {
    const { records, leases, runtime, leaseMs } = this.#deps;
    const evaluated = await leases.evaluatedAt();
    const deps: AlertStatusDeps = { evaluated, now: runtime.now(), leaseMs };
    const statuses = await Promise.all(
      alerts.map(async (alert) => statusOf(alert, await records.read(alert.id), deps)),
    );
    return worstFirst(statuses);
  }

  async history(
    alerts: readonly CompiledAlert<Facts>[],
    limit = DEFAULT_HISTORY,
  ): Promise<readonly AlertEvent[]> {
    const all = await Promise.all(alerts.map(({ id }) => this.#deps.records.read(id)));
    return all
      .flatMap(({ events }) => events)
      .sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
      .slice(0, limit)
      .map((event) => {
        const { silenced, deliveries } = event;
        return { ...notificationIn(event), silenced, deliveries };
      });
  }

  /** Sets the silence of an alert, or removes it when absent. Returns the one before. */
  async setSilence(
    id: string,
    silence: AlertSilence | undefined,
  ): Promise<AlertSilence | undefined> {
    let before: AlertSilence | undefined;
    await this.#deps.records.change(id, (record) => {
      const { silence: old, ...rest } = record;
      before = old;
      return silence ? { ...rest, silence } : rest;
    });
    return before;
  }

  /** Evaluates one alert now, and sends a test notification with `deliver`. Changes no state. */
  async test(alert: CompiledAlert<Facts>, deliver: boolean): Promise<AlertTest> {
    const { records, openFacts, clean } = this.#deps;
    const recorded = Object.keys((await records.read(alert.id)).subjects);
    const { findings, problem } = await this.#judge(alert, openFacts(), recorded);
    const shown = findings.map(({ subject, holds, values }) =>
      clean({ subject, holds: holds === true, values }),
    );
    const deliveries = deliver ? await this.#sendTest(alert, shown[0]) : [];
    return { id: alert.id, findings: shown, ...(problem !== undefined && { problem }), deliveries };
  }

  async #sendTest(
    alert: CompiledAlert<Facts>,
    finding: AlertTest['findings'][number] | undefined,
  ): Promise<readonly AlertDelivery[]> {
    const { runtime, clean } = this.#deps;
    const at = runtime.now();
    const newId = (): string => uuidV7(at);
    const { subject = '', values = {} } = finding ?? {};
    const facts = { type: 'alert.tested', subject, at, since: at, values } as const;
    const notification = clean(notificationOf({ ...alert, newId }, facts));
    return Promise.all(
      actionsOf(alert.definition).map(async ({ type: action }, index): Promise<AlertDelivery> => {
        try {
          await alert.act(index, notification);
          return { action, state: 'done', attempts: 1 };
        } catch (error) {
          return { action, state: 'failed', attempts: 1, problem: reasonOf(error) };
        }
      }),
    );
  }

  /** Waits for the evaluation under way, then lets another process take over at once. */
  async close(): Promise<void> {
    await this.#round?.catch(() => undefined);
    await this.#deps.leases.release();
  }
}
