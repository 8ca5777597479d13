/** `crib.alerts`: the alerts of the configuration and of the program that made the crib. */
import type { CribAlerts } from '../../contract/alerts.ts';
import {
  amount,
  atLeastOne,
  data,
  fields,
  flag,
  moment,
  name,
  optional,
  text,
} from '../../kit/data/check-arguments.ts';
import { keepEvaluating } from '../../observation/alerts/keep-evaluating.ts';
import type { MethodChecks } from '../members/checked.ts';
import { KnownAlerts, LOCAL } from './known-alerts.ts';
import type { OpenAlertsDeps } from './open-alerts.ts';

const by = optional(text);

export const ALERT_CHECKS: MethodChecks<CribAlerts> = {
  set: { alert: data },
  remove: { id: text },
  test: { id: text, options: optional(fields({ deliver: optional(flag), by })) },
  silence: {
    id: text,
    options: fields({ until: optional(moment), forMs: optional(amount), note: optional(name), by }),
  },
  unsilence: { id: text, options: optional(fields({ by })) },
  history: { filter: optional(fields({ alert: optional(text), limit: optional(atLeastOne) })) },
};

export interface OpenedAlertMember {
  readonly members: CribAlerts;
  /** Evaluates the alerts from now on; returns a function that stops it. */
  raise(): () => Promise<void>;
}

/** Makes `crib.alerts`. Throws CONFIG_INVALID for a configured alert that is not valid. */
export const alertsOf = async (deps: OpenAlertsDeps): Promise<OpenedAlertMember> => {
  const alerts = new KnownAlerts(deps);
  await alerts.compileConfigured();
  const evaluate = async (): Promise<void> => {
    if (alerts.all.length > 0) await (await alerts.service()).evaluate(alerts.all);
  };
  return {
    members: {
      set: (alert) => alerts.set(alert),
      remove: (id) => alerts.remove(id),
      list: async () => (alerts.all.length > 0 ? (await alerts.service()).list(alerts.all) : []),
      test: async (id, { deliver = true, by: who = LOCAL } = {}) => {
        const alert = alerts.find(id);
        if (deliver) await alerts.note('alert.tested', { id, by: who });
        return (await alerts.service()).test(alert, deliver);
      },
      silence: async (id, options) => {
        alerts.find(id);
        const silence = await alerts.silenceOf(options);
        await alerts.note('alert.silenced', { id, by: silence.by }, { ...silence });
        await (await alerts.service()).setSilence(id, silence);
        return silence;
      },
      unsilence: async (id, { by: who = LOCAL } = {}) => {
        alerts.find(id);
        const before = await (await alerts.service()).setSilence(id, undefined);
        if (!before) return false;
        await alerts.note('alert.unsilenced', { id, by: who });
        return before.until > deps.runtime.now();
      },
      history: async ({ alert, limit } = {}) => {
        const of = alert === undefined ? alerts.all : [alerts.find(alert)];
        return of.length > 0 ? (await alerts.service()).history(of, limit) : [];
      },
      evaluate,
    },
    raise: () => {
      const { raiseAlerts, alertIntervalMs: everyMs } = deps.config.observation;
      if (!raiseAlerts) return async () => undefined;
      const release = async (): Promise<void> => {
        if (alerts.all.length > 0) await (await alerts.service()).close();
      };
      return keepEvaluating({ evaluate, release, everyMs, runtime: deps.runtime });
    },
  };
};
