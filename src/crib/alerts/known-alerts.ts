/** The alerts of a crib: those of the configuration, and those that the program has set. */
import type { AlertDefinition, AlertSilence, CribAlerts, NewAlert } from '../../contract/alerts.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { shownAlert } from '../../contract/shown-alert.ts';
import { canonicalJson, sha256Hex } from '../../kit/data/canonical-json.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { jsonValue } from '../../kit/data/json-value.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { unknownNameText } from '../../kit/text/did-you-mean.ts';
import { issuesText } from '../../kit/text/issues-text.ts';
import type { CompiledAlert } from '../../observation/alerts/compiled-alert.ts';
import { auditEvent } from '../../pipeline/record/audit-event.ts';
import type { AlertFacts } from './alert-facts.ts';
import type { OpenAlertsDeps, OpenedAlerts } from './open-alerts.ts';

const MAX_SILENCE_MS = 366 * DAY_MS;
const MAX_ALERTS = 500;
const MAX_NOTE = 500;
/** The name on record for changes that the program makes itself. */
export const LOCAL = 'local';

type Alert = CompiledAlert<AlertFacts>;

/** Loaded with the first alert: the language of conditions is slow to load. */
interface Loaded extends OpenedAlerts {
  compile(id: string, definition: AlertDefinition, origin: Alert['origin']): Alert;
}

const load = async (deps: OpenAlertsDeps): Promise<Loaded> => {
  const [{ openAlerts }, { compileAlert }, { alertConditions }] = await Promise.all([
    import('./open-alerts.ts'),
    import('./compile-alert.ts'),
    import('./compile-alert-condition.ts'),
  ]);
  const opened = openAlerts(deps);
  const parts = { compile: alertConditions(), actions: opened.actions };
  return {
    ...opened,
    compile: (id, definition, origin) => compileAlert({ id, definition, origin }, parts),
  };
};

/** Checks an alert of the program with the schema of the configuration. Throws VALIDATION_ERROR. */
const definitionOf = async (alertOptions: NewAlert) => {
  // Checks a copy and keeps that: a proxy or a getter could return something else later.
  const { id, ...alert } = jsonValue(alertOptions) as NewAlert;
  const { alertSchema, ALERT_ID } = await import('../../config/sections/alerts.ts');
  if (id !== undefined && !ALERT_ID.test(id)) {
    throw new ToolFailure('VALIDATION_ERROR', 'id: 1 to 64 letters, digits, "_", "." or "-".');
  }
  const parsed = alertSchema.safeParse(alert);
  if (parsed.success) {
    const definition = parsed.data as AlertDefinition;
    return { id: id ?? `alert-${sha256Hex(canonicalJson(definition)).slice(0, 12)}`, definition };
  }
  const issues = parsed.error.issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message,
  }));
  throw new ToolFailure('VALIDATION_ERROR', `The alert is not valid: ${issuesText(issues)}`, {
    issues,
  });
};

/** Compiles the configured alerts. Throws CONFIG_INVALID, which names the setting and a suggestion. */
const compileConfigured = (loaded: Loaded, deps: OpenAlertsDeps): Map<string, Alert> => {
  const alerts = new Map<string, Alert>();
  for (const [id, definition] of Object.entries(deps.config.observation.alerts)) {
    try {
      alerts.set(id, loaded.compile(id, definition as AlertDefinition, 'config'));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      throw new ToolFailure('CONFIG_INVALID', `observation.alerts.${id}: ${error.message}`, {
        suggestions: error.extras.suggestions ?? [`Correct observation.alerts.${id}.`],
      });
    }
  }
  return alerts;
};

export class KnownAlerts {
  readonly #deps: OpenAlertsDeps;
  readonly #loaded: () => Promise<Loaded>;
  #alerts = new Map<string, Alert>();

  constructor(deps: OpenAlertsDeps) {
    this.#deps = deps;
    this.#loaded = lazyAsync(() => load(deps));
  }

  async compileConfigured(): Promise<void> {
    if (Object.keys(this.#deps.config.observation.alerts).length === 0) return;
    this.#alerts = compileConfigured(await this.#loaded(), this.#deps);
  }

  get all(): readonly Alert[] {
    return [...this.#alerts.values()];
  }

  async service() {
    return (await this.#loaded()).service();
  }

  find(id: string): Alert {
    const alert = this.#alerts.get(id);
    if (alert) return alert;
    throw new ToolFailure('NOT_FOUND', `There is no alert ${id}.`, {
      suggestions: [
        this.#alerts.size === 0
          ? 'Write one into the configuration, under observation.alerts.'
          : `${id} ${unknownNameText(id, this.#alerts.keys())}`,
      ],
    });
  }

  async set(alert: NewAlert): Promise<string> {
    const { id, definition } = await definitionOf(alert);
    const { compile } = await this.#loaded();
    const compiled = compile(id, definition, 'program');
    const before = this.#alerts.get(id);
    if (before?.origin === 'config') {
      throw new ToolFailure('CONFLICT', `The configuration has an alert ${id}.`, {
        suggestions: ['Give this one another id.'],
      });
    }
    if (!before && this.#alerts.size >= MAX_ALERTS) {
      throw new ToolFailure('CONFLICT', `No more alerts can be added: there are ${MAX_ALERTS}.`, {
        suggestions: ['Remove some, or use `each` in place of many alike.'],
      });
    }
    this.#alerts.set(id, compiled);
    await this.note('alert.set', { id, by: LOCAL }, { definition: shownAlert(definition) });
    return id;
  }

  async remove(id: string): Promise<boolean> {
    if (this.#alerts.get(id)?.origin !== 'program') return false;
    this.#alerts.delete(id);
    await this.note('alert.removed', { id, by: LOCAL });
    return true;
  }

  /** Redacts what people and programs wrote: every viewer can read it. */
  async #clean<T>(value: T): Promise<T> {
    return (await this.#deps.redactor()).record(value) as T;
  }

  /** Writes a row into the audit trail, as every change by a person does. */
  async note(
    event: string,
    { id, by }: { readonly id: string; readonly by: string },
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const { audit } = await this.#deps.host().store();
    const at = this.#deps.runtime.now();
    const written = { alert: id, ...(await this.#clean(detail)) };
    await audit.append(auditEvent({ event, id, at, by, status: 'success', detail: written }));
  }

  /** Makes a silence of the options. Throws VALIDATION_ERROR for an end that is past, missing or too far ahead. */
  async silenceOf({
    until,
    forMs,
    note,
    by: who = LOCAL,
  }: Parameters<CribAlerts['silence']>[1]): Promise<AlertSilence> {
    const at = this.#deps.runtime.now();
    const end = until ?? at + (forMs ?? 0);
    if ((until === undefined) === (forMs === undefined)) {
      throw new ToolFailure('VALIDATION_ERROR', 'Give either until or forMs.');
    }
    if (!(end > at) || end - at > MAX_SILENCE_MS) {
      throw new ToolFailure('VALIDATION_ERROR', 'A silence ends in the future, within a year.');
    }
    if (note === undefined) return { until: end, by: who, at };
    return { until: end, by: who, at, note: (await this.#clean(note)).slice(0, MAX_NOTE) };
  }
}
