/** Opens the service that evaluates alerts, and their actions. Loaded with the first alert. */
import type { Config } from '../../config/schema.ts';
import type { AlertNotification, AlertSeverity } from '../../contract/alerts.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Logger, Runtime } from '../../contract/runtime.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Store } from '../../contract/store.ts';
import { Seals } from '../../governance/approvals/seals.ts';
import { ChainWatch } from '../../governance/audit/watch-chain.ts';
import { createEgress } from '../../governance/egress/create-egress.ts';
import { unguessableId } from '../../governance/ids.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import type { SigningKey } from '../../governance/signing/open-signing-key.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { AlertLeases } from '../../observation/alerts/alert-leases.ts';
import { AlertRecords } from '../../observation/alerts/alert-records.ts';
import { AlertService } from '../../observation/alerts/alert-service.ts';
import { redactedCaller } from '../../observation/redacted-caller.ts';
import { auditService } from '../audit/audit-files.ts';
import { secretsOf } from '../sources/source-secrets.ts';
import { AlertFacts, WatchedStates } from './alert-facts.ts';
import type { AlertActions } from './compile-alert.ts';
import { sendWebhook } from './send-webhook.ts';

export interface OpenAlertsDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly events: Events;
  /** The user's folder, absolute. */
  readonly home: string;
  readonly secrets?: Secrets | undefined;
  host(): CribHost;
  redactor(): Promise<Redactor>;
  signingKey(): Promise<SigningKey>;
}

const MAX_ANSWER_BYTES = 65_536;
/** A process that has missed this many evaluations loses its leases. */
const LEASE_ROUNDS = 3;

const LEVELS: Readonly<Record<AlertSeverity, 'info' | 'warn' | 'error'>> = {
  info: 'info',
  warning: 'warn',
  critical: 'error',
};

const logNotification = (log: Logger, notification: AlertNotification): void => {
  const { type, severity, summary, ...fields } = notification;
  // That an alert resolved is no warning.
  const level = type === 'alert.fired' ? LEVELS[severity] : 'info';
  log[level](summary, { event: type, severity, ...fields });
};

const visible = (value: unknown): unknown => {
  if (typeof value === 'string') return visibleText(value);
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visible(member)]));
};

const callTool = async (
  crib: Pick<CribHost, 'execute'>,
  [tool, input]: readonly [string, unknown],
  as: CallAs,
): Promise<void> => {
  const { success, status, error } = await crib.execute(tool, input, as);
  // A call that waits for a person is no failure: its question is in the inbox.
  if (success || status === 'pending') return;
  const { code, message, retryable, suggestions } = error;
  throw new ToolFailure(code, message, { retryable, suggestions });
};

const actionsOf = (deps: OpenAlertsDeps): AlertActions => {
  const { runtime, config, home, secrets } = deps;
  const egress = createEgress({ ...config.egress, maxResponseBytes: MAX_ANSWER_BYTES });
  const keys = lazyAsync(async () => {
    const redactor = await deps.redactor();
    return secretsOf({ config, runtime, home, redactor, ...(secrets && { secrets }) });
  });
  const secret = async (key: string) => (await keys()).secret(key);
  return {
    log: (notification) => logNotification(runtime.log, notification),
    webhook: (action, notification) =>
      sendWebhook(action, notification, { egress, secret, now: runtime.now }),
    tool: (tool, input, as) => callTool(deps.host(), [tool, input], as),
    job: async (type, payload, as) => {
      await deps.host().jobs.enqueue(type, payload, as);
    },
  };
};

const UNSEALED = { seal: async () => undefined, isOurs: async () => true };

const serviceOf = async (
  store: Store,
  deps: OpenAlertsDeps,
  watched: WatchedStates,
): Promise<AlertService<AlertFacts>> => {
  const { config, runtime, events, home, host, signingKey } = deps;
  const { memory, audit } = store;
  const { now } = runtime;
  const leaseMs = LEASE_ROUNDS * config.observation.alertIntervalMs;
  // Nobody can plant records in a store that ends with its process, so they need no seal.
  const seals = auditService(home).outlasts(store) ? new Seals(signingKey, runtime.log) : UNSEALED;
  const redactor = await deps.redactor();
  const trustedKeys = async () => [(await signingKey()).publicKey];
  const chain = lazyAsync(async () => new ChainWatch({ audit, trustedKeys }));
  return new AlertService({
    records: new AlertRecords({ memory, seals, now }),
    leases: new AlertLeases({ memory, holder: unguessableId('alerts'), leaseMs, now }),
    leaseMs,
    events,
    runtime,
    clean: <T extends { readonly subject: string }>(value: T): T => {
      const subject = redactedCaller(value.subject, redactor);
      return visible({ ...(redactor.record(value) as T), subject }) as T;
    },
    openFacts: () => new AlertFacts({ crib: host(), watched, chain, now }),
  });
};

export interface OpenedAlerts {
  readonly actions: AlertActions;
  service(): Promise<AlertService<AlertFacts>>;
}

/** Makes the opener; the store is opened when the service is first asked for. */
export const openAlerts = (deps: OpenAlertsDeps): OpenedAlerts => {
  const watched = new WatchedStates(deps.runtime.now);
  let current:
    | { readonly store: Store; readonly service: Promise<AlertService<AlertFacts>> }
    | undefined;
  return {
    actions: actionsOf(deps),
    service: async () => {
      const store = await deps.host().store();
      // The crib opens a store again that was read-only, so the service may need another one.
      if (current?.store !== store) current = { store, service: serviceOf(store, deps, watched) };
      return current.service;
    },
  };
};
