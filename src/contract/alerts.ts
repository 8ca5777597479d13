/** Alerts: conditions over figures and states, how long they have to hold, and the actions when they do. */

export const ALERT_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number];

/** As whom an alert calls a tool or adds a job. It has these rights and no others. */
export interface AlertCaller {
  readonly user: string;
  /** None when absent. */
  readonly roles?: readonly string[];
  /** None when absent. */
  readonly permissions?: readonly string[];
}

/** Writes to the log of the process that evaluates. */
export interface LogAction {
  readonly type: 'log';
}

/** Posts the notification as JSON. */
export interface WebhookAction {
  readonly type: 'webhook';
  readonly url: string;
  /** The key of the secret that signs the body. */
  readonly secret?: string;
  /** 10 seconds when absent. */
  readonly timeoutMs?: number;
}

/** Calls a tool, under the rules that hold for every call. */
export interface ToolAction {
  readonly type: 'tool';
  readonly tool: string;
  /** As in a step of a flow: `{ from: 'input.summary' }` and `{ cel: '…' }` use the notification. */
  readonly input?: unknown;
  readonly as: AlertCaller;
}

/** Adds a job. */
export interface JobAction {
  readonly type: 'job';
  /** The type of the job. */
  readonly job: string;
  /** As `input` of a tool. */
  readonly payload?: unknown;
  readonly as: AlertCaller;
}

export type AlertAction = LogAction | WebhookAction | ToolAction | JobAction;

/** An alert. Spans of time are texts such as `30s`, `5m`, `2h` or `7d`. */
export interface AlertDefinition {
  /** CEL that is true or false; docs/alerts.md lists its names. */
  readonly when: string;
  /** Figures of one tool, source or caller; of all calls when absent. */
  readonly tool?: string;
  readonly source?: string;
  readonly caller?: string;
  /** Evaluates the condition for each of them by itself, for 100 at most. */
  readonly each?: 'tool' | 'source' | 'caller' | 'server';
  /** The span of time whose calls the figures cover; the last 5 minutes when absent. */
  readonly window?: string;
  /** How long the condition has to hold before the alert fires; not at all when absent. */
  readonly for?: string;
  /** How long a subject does not fire again after it fired; 5 minutes when absent. */
  readonly coolDown?: string;
  /** `warning` when absent. */
  readonly severity?: AlertSeverity;
  /** One sentence for people. */
  readonly summary?: string;
  /** What is done when it fires and when it resolves; `log` when absent. */
  readonly actions?: readonly AlertAction[];
}

/** An alert with a name of its own; one without is named by its content. */
export interface NewAlert extends AlertDefinition {
  readonly id?: string;
}

/** A time in which no action of the alert runs. */
export interface AlertSilence {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly by: string;
  readonly at: number;
  readonly note?: string;
}

/** The state of one subject: `pending` until the condition has held for long enough. */
export interface AlertSubject {
  /** A tool, source, caller or server; empty for an alert without `each`. */
  readonly subject: string;
  readonly state: 'pending' | 'firing';
  /** Since when the condition holds. */
  readonly since: number;
  readonly firedAt?: number;
}

/** `unknown`: no process has evaluated the condition lately, or it cannot be evaluated. */
export type AlertState = 'ok' | 'pending' | 'firing' | 'unknown';

export interface AlertStatus {
  readonly id: string;
  readonly definition: AlertDefinition;
  /** Where it comes from: the configuration, or the program that made the crib. */
  readonly origin: 'config' | 'program';
  readonly state: AlertState;
  readonly subjects: readonly AlertSubject[];
  readonly silence?: AlertSilence;
  /** When a process last evaluated it. */
  readonly evaluatedAt?: number;
  readonly lastFiredAt?: number;
  /** Why the condition cannot be evaluated, or what was left out. */
  readonly problem?: string;
}

/** What became of one action of a notification. */
export interface AlertDelivery {
  readonly action: AlertAction['type'];
  /** `waiting` also between two attempts. */
  readonly state: 'waiting' | 'done' | 'failed';
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly problem?: string;
}

export const NOTIFICATION_TYPES = ['alert.fired', 'alert.resolved', 'alert.tested'] as const;

/** What the actions of an alert are given. Its texts hold no secrets and no characters that a terminal obeys. */
export interface AlertNotification {
  /** The same in each attempt, so that receivers can recognise what they have already received. */
  readonly id: string;
  readonly type: (typeof NOTIFICATION_TYPES)[number];
  readonly alert: string;
  readonly subject: string;
  readonly severity: AlertSeverity;
  readonly summary: string;
  readonly condition: string;
  readonly at: number;
  /** Since when the condition holds, or held. */
  readonly since: number;
  /** What the names in the condition stood for. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface AlertEvent extends AlertNotification {
  /** True when a silence kept its actions from running. */
  readonly silenced: boolean;
  readonly deliveries: readonly AlertDelivery[];
}

export interface SilenceOptions {
  /** When it ends, in milliseconds since the epoch; give this or `forMs`. */
  readonly until?: number;
  /** How long it lasts, in milliseconds from now. */
  readonly forMs?: number;
  readonly note?: string;
  /** Who silences it; the local owner when absent. */
  readonly by?: string;
}

/** What a condition gives for one subject now. */
export interface AlertFinding {
  readonly subject: string;
  readonly holds: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface AlertTest {
  readonly id: string;
  readonly findings: readonly AlertFinding[];
  /** Why the condition cannot be evaluated. */
  readonly problem?: string;
  /** Empty when nothing was sent. */
  readonly deliveries: readonly AlertDelivery[];
}

/** The alerts of the configuration and of this program. */
export interface CribAlerts {
  /**
   * Adds an alert for as long as the crib is open, or replaces the one of that id; returns its id. The
   * same alert set again after a restart keeps its state. Rejects with VALIDATION_ERROR for an invalid
   * definition, and with CONFLICT for the id of a configured alert.
   *
   * @example
   * const id = await crib.alerts.set({
   *   tool: 'web_search',
   *   when: 'calls >= 20 && errorRate > 0.2',
   *   for: '5m',
   *   actions: [{ type: 'log' }],
   * });
   */
  set(alert: NewAlert): Promise<string>;
  /**
   * Removes an alert that `set` added. False when there is none; a configured one stays.
   *
   * @example
   * await crib.alerts.remove('search-fails');
   */
  remove(id: string): Promise<boolean>;
  /**
   * Lists the alerts, those that fire first.
   *
   * @example
   * for (const { id, state } of await crib.alerts.list()) console.log(id, state);
   */
  list(): Promise<readonly AlertStatus[]>;
  /**
   * Evaluates the condition now and, by default, sends a notification of type `alert.tested` by every
   * action. Does not change the state of the alert. Rejects with NOT_FOUND.
   *
   * @example
   * const { findings } = await crib.alerts.test('search-fails', { deliver: false });
   */
  test(
    id: string,
    options?: { readonly deliver?: boolean; readonly by?: string },
  ): Promise<AlertTest>;
  /**
   * Silences the notifications of an alert for a while, at most a year. Notifications of subjects that still
   * fire when the silence ends are sent then. Rejects with NOT_FOUND, and with VALIDATION_ERROR for a time in
   * the past.
   *
   * @example
   * await crib.alerts.silence('search-fails', { forMs: 3_600_000, note: 'maintenance' });
   */
  silence(id: string, options: SilenceOptions): Promise<AlertSilence>;
  /**
   * Ends a silence. False when there was none. Rejects with NOT_FOUND.
   *
   * @example
   * await crib.alerts.unsilence('search-fails');
   */
  unsilence(id: string, options?: { readonly by?: string }): Promise<boolean>;
  /**
   * Lists what fired and resolved, newest first: the last 100 of each alert are kept.
   *
   * @example
   * for (const { alert, type, at } of await crib.alerts.history({ limit: 10 })) console.log(alert, type, at);
   */
  history(filter?: {
    readonly alert?: string;
    readonly limit?: number;
  }): Promise<readonly AlertEvent[]>;
  /**
   * Evaluates all alerts once and sends the notifications that are due, unless another process on the store
   * does so. A server does it by itself.
   *
   * @example
   * await crib.alerts.evaluate();
   */
  evaluate(): Promise<void>;
}
