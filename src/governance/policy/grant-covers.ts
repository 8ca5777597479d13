/**
 * Decides whether a standing grant covers a call. Everything that it names has to match, and doubt means
 * no.
 */
import { LRUCache } from 'lru-cache';
import type { Grant, GrantSubject } from '../../contract/grant.ts';
import type { PolicyQuestion } from '../../contract/policy.ts';
import {
  type CheckedCondition,
  conditionCompiler,
  isBadCondition,
} from './condition/compile-condition.ts';

/** What a grant is checked for. */
export interface GrantTarget {
  /** The permission that is needed, e.g. `tool:web_search`. */
  readonly resource: string;
  /** The digest of the tool as it is now. */
  readonly definition: string;
  /** Kept by callers that check often, so that each condition is compiled once. */
  readonly conditions?: ConditionCache;
}

/** Conditions by their text, the latest ones. */
export type ConditionCache = (text: string) => CheckedCondition;

const MAX_CONDITIONS = 200;

const fitsSubject = (subject: GrantSubject, { caller }: PolicyQuestion): boolean => {
  const { user, role, agent, session } = subject;
  if (user !== undefined && user !== caller.userId) return false;
  if (agent !== undefined && agent !== caller.agentId) return false;
  if (session !== undefined && session !== caller.sessionId) return false;
  return role === undefined || caller.roles.includes(role);
};

export const fitsResource = (resource: string, required: string): boolean =>
  resource.endsWith('*') ? required.startsWith(resource.slice(0, -1)) : resource === required;

/** Matches actions; an unknown action is covered by `*` only. */
const fitsActions = (actions: readonly string[], { capability }: PolicyQuestion): boolean =>
  actions.includes('*') || (capability !== undefined && actions.includes(capability.action));

const isLive = ({ expiresAt, definition }: Grant, now: number, current: string): boolean =>
  (expiresAt === undefined || now < expiresAt) &&
  (definition === undefined || definition === current);

const fitsCondition = (condition: CheckedCondition, question: PolicyQuestion): boolean => {
  if (isBadCondition(condition)) return false;
  try {
    return condition.holds(question);
  } catch {
    return false;
  }
};

/** Uses a compiler for each text, so that its cache is freed with the condition. */
const compileOne: ConditionCache = (text) => conditionCompiler()(text);

export const createConditionCache = (): ConditionCache => {
  const conditions = new LRUCache<string, CheckedCondition>({ max: MAX_CONDITIONS });
  return (text) => {
    const condition = conditions.get(text) ?? compileOne(text);
    conditions.set(text, condition);
    return condition;
  };
};

/** Tells whether the grant covers the call. Never throws. */
export const grantCovers = (
  grant: Grant,
  question: PolicyQuestion,
  { resource, definition, conditions = compileOne }: GrantTarget,
): boolean =>
  isLive(grant, question.now, definition) &&
  fitsSubject(grant.subject, question) &&
  fitsResource(grant.resource, resource) &&
  fitsActions(grant.actions, question) &&
  (grant.condition === undefined || fitsCondition(conditions(grant.condition), question));
