/** Makes an alert ready: its condition and its templates are compiled once. */
import type {
  AlertAction,
  AlertCaller,
  AlertDefinition,
  AlertNotification,
  AlertStatus,
} from '../../contract/alerts.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { CallFigures } from '../../contract/metrics.ts';
import { compileValue } from '../../flow/values/compile-value.ts';
import { noSteps } from '../../flow/values/scope.ts';
import { MINUTE_MS, spanMs } from '../../kit/data/durations.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { CompiledAlert, Judged, Judgement } from '../../observation/alerts/compiled-alert.ts';
import { actionsOf } from '../../observation/alerts/step-alert.ts';
import {
  type AlertFacts,
  MAX_LINES,
  MAX_SUBJECTS,
  NO_FIGURES,
  type StateName,
} from './alert-facts.ts';
import { FIGURE_NAMES, figureValues, STATE_NAMES } from './alert-names.ts';
import type { AlertCondition, CompileAlertCondition } from './compile-alert-condition.ts';

const DEFAULT_WINDOW_MS = 5 * MINUTE_MS;
/** Of each list in a notification. */
const MAX_LISTED = 20;

/** What is known only once the servers have answered. */
const SERVER_STATES = ['server', 'servers', 'quarantined'];

/** What actions are done with; each does one thing and fails with a ToolFailure. */
export interface AlertActions {
  log(notification: AlertNotification): void;
  webhook(
    action: Extract<AlertAction, { type: 'webhook' }>,
    notification: AlertNotification,
  ): Promise<void>;
  tool(tool: string, input: unknown, as: CallAs): Promise<void>;
  job(type: string, payload: unknown, as: CallAs): Promise<void>;
}

/**
 * Makes the caller that the configuration names, with the roles and permissions written there and
 * no others.
 */
const callerOf = ({ user, roles = [], permissions = [] }: AlertCaller, id: string): CallAs => ({
  userId: user,
  agentId: 'alerts',
  sessionId: `alert:${id}`,
  loopId: 'alerts',
  roles,
  permissions,
  isolation: 'basic',
});

type Act = CompiledAlert<AlertFacts>['act'];

/** Compiles the template of an input; its `input` is the notification. */
const templateOf = (spec: unknown, { user }: AlertCaller, id: string) => {
  const { evaluate } = compileValue(spec ?? {});
  const caller = {
    ...{ user, agent: 'alerts', session: `alert:${id}`, loop: 'alerts', isolation: 'basic' },
  };
  return (input: AlertNotification): unknown => evaluate({ input, steps: noSteps(), caller });
};

const actOf = (
  [id, index]: readonly [string, number],
  action: AlertAction,
  actions: AlertActions,
) => {
  // The same for every attempt: a second one has no second effect.
  const keyOf = (notification: AlertNotification): string => `alert:${notification.id}:${index}`;
  switch (action.type) {
    case 'log':
      return async (notification: AlertNotification) => actions.log(notification);
    case 'webhook':
      return (notification: AlertNotification) => actions.webhook(action, notification);
    case 'tool': {
      const input = templateOf(action.input, action.as, id);
      const as = callerOf(action.as, id);
      return async (notification: AlertNotification) =>
        actions.tool(action.tool, input(notification), {
          ...as,
          idempotencyKey: keyOf(notification),
        });
    }
    case 'job': {
      const payload = templateOf(action.payload, action.as, id);
      const as = callerOf(action.as, id);
      return async (notification: AlertNotification) =>
        actions.job(action.job, payload(notification), {
          ...as,
          idempotencyKey: keyOf(notification),
        });
    }
  }
};

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, MAX_LISTED).map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  // Codes that did not occur are left out.
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== 0 || !('TIMEOUT' in value)),
  );
};

interface Subjects {
  readonly names: readonly string[];
  readonly leftOut: number;
  values(name: string): Readonly<Record<string, unknown>>;
}

class Judge {
  readonly #definition: AlertDefinition;
  readonly #condition: AlertCondition;

  constructor(definition: AlertDefinition, condition: AlertCondition) {
    this.#definition = definition;
    this.#condition = condition;
  }

  async judge(facts: AlertFacts, known: readonly string[]): Promise<Judgement> {
    const states = await this.#states(facts);
    const { names, leftOut, values } = await this.#subjects(facts, known);
    const mayEnd = await this.#mayEnd(facts);
    let problem = leftOut > 0 ? `${leftOut} more than ${MAX_SUBJECTS} are left out.` : undefined;
    const findings = names.map((subject): Judged => {
      const all = { ...states, ...values(subject), subject, now: new Date(facts.now) };
      try {
        const holds = this.#condition.holds(all);
        return {
          subject,
          holds: holds || mayEnd(subject) ? holds : undefined,
          values: this.#shown(all),
        };
      } catch (error) {
        problem = reasonOf(error);
        return { subject, holds: undefined, values: {} };
      }
    });
    return { findings, ...(problem !== undefined && { problem }) };
  }

  /**
   * Says whether what fires may resolve. After a start it is not known for a moment which servers are down and
   * which tools they bring into quarantine: that would resolve, and fire once more.
   */
  async #mayEnd(facts: AlertFacts): Promise<(subject: string) => boolean> {
    if (!SERVER_STATES.some((name) => this.#condition.names.has(name))) return () => true;
    const unsettled = await facts.unsettledServers();
    return this.#definition.each === 'server'
      ? (subject) => !unsettled.has(subject)
      : () => unsettled.size === 0;
  }

  async #states(facts: AlertFacts): Promise<Readonly<Record<string, unknown>>> {
    const used = STATE_NAMES.filter((name) => this.#condition.names.has(name));
    const read = used.map(async (name) => [name, await facts.state(name as StateName)] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  get #usesFigures(): boolean {
    return [...this.#condition.names].some((name) => FIGURE_NAMES.has(name));
  }

  #shown(all: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const names = [...this.#condition.names].filter((name) => name !== 'now' && name !== 'subject');
    return Object.fromEntries(names.map((name) => [name, plain(all[name])]));
  }

  async #subjects(facts: AlertFacts, known: readonly string[]): Promise<Subjects> {
    const { each, tool, source, caller } = this.#definition;
    const windowMs = spanMs(this.#definition.window ?? '') ?? DEFAULT_WINDOW_MS;
    if (each === undefined) {
      const scope = {
        ...(tool !== undefined && { tool }),
        ...(source !== undefined && { source }),
        ...(caller !== undefined && { caller }),
      };
      const figures = this.#usesFigures ? await facts.figures(scope, windowMs) : NO_FIGURES;
      return { names: [''], leftOut: 0, values: () => figureValues(figures) };
    }
    if (each === 'server') return this.#servers(facts, known, windowMs);
    const lines = await facts.lines(each, windowMs);
    const byName = new Map<string, CallFigures>(lines.map((line) => [line.name, line]));
    const bound = bounded([...byName.keys()], known);
    // Many busy others must not make one that is not well look as if it had no calls.
    const unread = lines.length < MAX_LINES ? [] : bound.names.filter((name) => !byName.has(name));
    for (const name of unread) {
      byName.set(name, await facts.figures({ [each]: name }, windowMs));
    }
    return { ...bound, values: (name) => figureValues(byName.get(name) ?? NO_FIGURES) };
  }

  async #servers(facts: AlertFacts, known: readonly string[], windowMs: number): Promise<Subjects> {
    const servers = new Map((await facts.servers()).map((server) => [server.name, server]));
    const lines = this.#usesFigures ? await facts.lines('source', windowMs) : [];
    const bySource = new Map<string, CallFigures>(lines.map((line) => [line.name, line]));
    const bound = bounded(
      [...servers.keys()],
      known.filter((name) => servers.has(name)),
    );
    return {
      ...bound,
      values: (name) => ({
        ...figureValues(bySource.get(`mcp:${name}`) ?? NO_FIGURES),
        server: servers.get(name),
      }),
    };
  }
}

/**
 * Limits the list. Subjects that fire or pend come first, so that many others cannot push them out.
 */
const bounded = (names: readonly string[], known: readonly string[]) => {
  const all = [...new Set([...known, ...names])];
  return { names: all.slice(0, MAX_SUBJECTS), leftOut: Math.max(0, all.length - MAX_SUBJECTS) };
};

export interface CompileAlertDeps {
  readonly compile: CompileAlertCondition;
  readonly actions: AlertActions;
}

/**
 * Compiles an alert. Throws a VALIDATION_ERROR for a condition or a template that makes no sense.
 */
export const compileAlert = (
  { id, definition, origin }: Pick<AlertStatus, 'id' | 'definition' | 'origin'>,
  { compile, actions }: CompileAlertDeps,
): CompiledAlert<AlertFacts> => {
  const judge = new Judge(definition, compile(definition.when, definition.each));
  const acts = actionsOf(definition).map((action, index) => actOf([id, index], action, actions));
  const act: Act = async (index, notification) => acts[index]?.(notification);
  return { id, definition, origin, judge: (facts, known) => judge.judge(facts, known), act };
};
