/** Which budgets a call draws on. The ledger in the store does the counting. */
import type { Caller } from '../../contract/caller.ts';
import type { BudgetScope } from '../../contract/store.ts';
import { toMicros } from './estimate-cost.ts';

/** A limit that is not named is none. */
export interface UnitLimits {
  readonly usd?: number;
  readonly calls?: number;
  readonly tokens?: number;
}

export interface BudgetLimits {
  /** Per user and day. */
  readonly dailyUsd: number;
  readonly dailyCalls?: number;
  readonly dailyTokens?: number;
  /** Per tool and day, for all users together; a number is dollars. */
  readonly perTool?: Readonly<Record<string, number | UnitLimits>>;
  /** Each agent, per day. */
  readonly perAgent?: UnitLimits;
  /** Each session, as long as it lasts. */
  readonly perSession?: UnitLimits;
  /** Each flow. */
  readonly perFlow?: UnitLimits;
}

export const BUDGET_KINDS = ['user', 'tool', 'agent', 'session', 'flow', 'free'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

export interface BudgetedCall {
  readonly caller: Caller;
  readonly tool: string;
  readonly flowId: string | undefined;
  readonly now: number;
}

/** What lasts longer than a day has one period. */
export const ALL_TIME = 'all';
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
export const monthOf = (now: number): string => new Date(now).toISOString().slice(0, 7);

/** The period comes before the name, so that a day can be listed by its prefix. */
export const budgetKey = (kind: BudgetKind, period: string, name: string): string =>
  `${kind}:${period}:${name}`;

/** Sessions and flows belong to a user: nobody spends on another's by naming it. */
export const ownName = (userId: string, name: string): string =>
  `${userId.replaceAll('%', '%25').replaceAll('/', '%2F')}/${name}`;

const NO_LIMITS: UnitLimits = Object.freeze({});

const scope = (key: string, { usd, calls, tokens }: UnitLimits): BudgetScope => ({
  key,
  limitMicros: usd === undefined ? Number.MAX_SAFE_INTEGER : toMicros(usd),
  ...(calls !== undefined && { limitCalls: calls }),
  ...(tokens !== undefined && { limitTokens: tokens }),
});

const toolLimits = (limits: BudgetLimits, tool: string): UnitLimits => {
  const { perTool } = limits;
  const own = perTool && Object.hasOwn(perTool, tool) ? perTool[tool] : undefined;
  return typeof own === 'number' ? { usd: own } : (own ?? NO_LIMITS);
};

const userLimits = ({ dailyUsd, dailyCalls, dailyTokens }: BudgetLimits): UnitLimits => ({
  usd: dailyUsd,
  ...(dailyCalls !== undefined && { calls: dailyCalls }),
  ...(dailyTokens !== undefined && { tokens: dailyTokens }),
});

/** The limits in force for one line of the ledger. */
export const limitsFor = (limits: BudgetLimits, kind: BudgetKind, name: string): UnitLimits => {
  switch (kind) {
    case 'user':
      return userLimits(limits);
    case 'tool':
      return toolLimits(limits, name);
    case 'agent':
      return limits.perAgent ?? NO_LIMITS;
    case 'session':
      return limits.perSession ?? NO_LIMITS;
    case 'flow':
      return limits.perFlow ?? NO_LIMITS;
    case 'free':
      // Its limit is the tool's own.
      return NO_LIMITS;
  }
};

/** Every scope the call counts in, whether it has a limit or not: usage is reported by them. */
export const budgetScopes = (limits: BudgetLimits, call: BudgetedCall): readonly BudgetScope[] => {
  const day = dayOf(call.now);
  const { userId, agentId, sessionId } = call.caller;
  const of = (kind: BudgetKind, period: string, name: string): BudgetScope =>
    scope(budgetKey(kind, period, name), limitsFor(limits, kind, name));
  const scopes = [
    of('user', day, userId),
    of('tool', day, call.tool),
    of('agent', day, agentId),
    of('session', ALL_TIME, ownName(userId, sessionId)),
  ];
  if (call.flowId !== undefined) scopes.push(of('flow', ALL_TIME, ownName(userId, call.flowId)));
  return scopes;
};

const counts = (limits: UnitLimits | undefined): boolean =>
  limits !== undefined && (limits.calls !== undefined || limits.tokens !== undefined);

/** Does some limit count calls or tokens, so that calls without a price have to be booked as well? */
export const countsFreeCalls = (limits: BudgetLimits, tool: string): boolean =>
  counts(userLimits(limits)) ||
  counts(toolLimits(limits, tool)) ||
  counts(limits.perAgent) ||
  counts(limits.perSession) ||
  counts(limits.perFlow);

/** The free calls of a tool in this month. They belong to the account, so to all users together. */
export const freeTierScope = (tool: string, freeCalls: number, now: number): BudgetScope =>
  scope(budgetKey('free', monthOf(now), tool), { calls: freeCalls });
