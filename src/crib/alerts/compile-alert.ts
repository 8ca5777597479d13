/** Compiles an alert: its condition, and the templates of its actions. */
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
import { compact } from '../../kit/data/compact.ts';
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
/** The most entries of a list in a notification. */
const MAX_LISTED = 20;

/** Names whose values are recorded only once the servers have started. */
const SERVER_STATES = ['server', 'servers', 'quarantined'];

/** Runs the actions of alerts. Each method rejects with a ToolFailure. */
export interface AlertActions {
  log(notification: AlertNotification): void;
  webhook(
    action: Extract<AlertAction, { type: 'webhook' }>,
    notification: AlertNotification,
  ): Promise<void>;
  tool(tool: string, input: unknown, as: CallAs): Promise<void>;
  job(type: string, payload: unknown, as: CallAs): Promise<void>;
}

/** Makes the caller that the configuration names, with exactly the roles and permissions written there. */
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
  const names = { user, agent: 'alerts', session: `alert:${id}`, loop: 'alerts' };
  const caller = { ...names, isolation: 'basic' };
  return (input: AlertNotification): unknown => evaluate({ input, steps: noSteps(), caller });
};

const actOf = (
  [id, index]: readonly [string, number],
  action: AlertAction,
  actions: AlertActions,
) => {
  // The same key for every attempt, so that a second one has no second effect.
  const keyOf = (notification: AlertNotification): string => `alert:${notification.id}:${index}`;
  const withTemplate = (
    spec: unknown,
    caller: AlertCaller,
    send: (value: unknown, as: CallAs) => Promise<void>,
  ) => {
    const template = templateOf(spec, caller, id);
    const as = callerOf(caller, id);
    return async (notification: AlertNotification) =>
      send(template(notification), { ...as, idempotencyKey: keyOf(notification) });
  };
  switch (action.type) {
    case 'log':
      return async (notification: AlertNotification) => actions.log(notification);
    case 'webhook':
      return (notification: AlertNotification) => actions.webhook(action, notification);
    case 'tool':
      return withTemplate(action.input, action.as, (input, as) =>
        actions.tool(action.tool, input, as),
      );
    case 'job':
      return withTemplate(action.payload, action.as, (payload, as) =>
        actions.job(action.job, payload, as),
      );
  }
};

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, MAX_LISTED).map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  // Leaves out the error codes of `CodeCounts` that did not occur.
  return Object.fromEntries(
    Object.entries(value).filter(([, count]) => count !== 0 || !('TIMEOUT' in value)),
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

  async judge(facts: AlertFacts, recorded: readonly string[]): Promise<Judgement> {
    const states = await this.#states(facts);
    const { names, leftOut, values } = await this.#subjects(facts, recorded);
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
   * Tells for which subjects the alert may resolve. Until the servers have started, nothing is recorded
   * about them and their tools in quarantine: alerts about them would resolve and fire again.
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

  async #subjects(facts: AlertFacts, recorded: readonly string[]): Promise<Subjects> {
    const { each, tool, source, caller } = this.#definition;
    const windowMs = spanMs(this.#definition.window ?? '') ?? DEFAULT_WINDOW_MS;
    if (each === undefined) {
      const scope = compact({ tool, source, caller });
      const figures = this.#usesFigures ? await facts.figures(scope, windowMs) : NO_FIGURES;
      return { names: [''], leftOut: 0, values: () => figureValues(figures) };
    }
    if (each === 'server') return this.#servers(facts, recorded, windowMs);
    const lines = await facts.lines(each, windowMs);
    const byName = new Map<string, CallFigures>(lines.map((line) => [line.name, line]));
    const bound = bounded([...byName.keys()], recorded);
    // With very many subjects, a recorded one may be missing from the lines: its figures are read by itself.
    const unread = lines.length < MAX_LINES ? [] : bound.names.filter((name) => !byName.has(name));
    for (const name of unread) {
      byName.set(name, await facts.figures({ [each]: name }, windowMs));
    }
    return { ...bound, values: (name) => figureValues(byName.get(name) ?? NO_FIGURES) };
  }

  async #servers(
    facts: AlertFacts,
    recorded: readonly string[],
    windowMs: number,
  ): Promise<Subjects> {
    const servers = new Map((await facts.servers()).map((server) => [server.name, server]));
    const lines = this.#usesFigures ? await facts.lines('source', windowMs) : [];
    const bySource = new Map<string, CallFigures>(lines.map((line) => [line.name, line]));
    const bound = bounded(
      [...servers.keys()],
      recorded.filter((name) => servers.has(name)),
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

/** Limits the subjects. Recorded ones come first, so that many others cannot displace one that fires. */
const bounded = (names: readonly string[], recorded: readonly string[]) => {
  const all = [...new Set([...recorded, ...names])];
  return { names: all.slice(0, MAX_SUBJECTS), leftOut: Math.max(0, all.length - MAX_SUBJECTS) };
};

export interface CompileAlertDeps {
  readonly compile: CompileAlertCondition;
  readonly actions: AlertActions;
}

/** Compiles an alert. Throws VALIDATION_ERROR for an invalid condition or template. */
export const compileAlert = (
  { id, definition, origin }: Pick<AlertStatus, 'id' | 'definition' | 'origin'>,
  { compile, actions }: CompileAlertDeps,
): CompiledAlert<AlertFacts> => {
  const judge = new Judge(definition, compile(definition.when, definition.each));
  const acts = actionsOf(definition).map((action, index) => actOf([id, index], action, actions));
  const act: Act = async (index, notification) => acts[index]?.(notification);
  return { id, definition, origin, judge: (facts, recorded) => judge.judge(facts, recorded), act };
};
