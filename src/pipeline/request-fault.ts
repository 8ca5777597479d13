/**
 * Checks the name and the options of a call before anything else. A misspelt option is refused: a
 * `dryrun` that is ignored would run the tool.
 */
import type { CallAs, OuterFlow } from '../contract/call-options.ts';
import type { CallerNames } from '../contract/caller.ts';
import type { Issue } from '../contract/errors.ts';
import type { TraceContext } from '../contract/telemetry.ts';
import { foreignKindFault } from '../kit/data/object-kind.ts';
import { readTrace } from '../kit/http/trace-context.ts';
import { didYouMean, unknownNameText } from '../kit/text/did-you-mean.ts';
import { isPlanConsent } from './approval/plan-cover.ts';
import { DurableWork } from './durable-work.ts';
import { RunRecords } from './record/run-records.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isFunction: Check = (value) => typeof value === 'function';
const isObject: Check = (value) => typeof value === 'object' && value !== null;
const isLimit: Check = (value) => Number.isFinite(value) && (value as number) >= 0;
const isSignal: Check = (value) =>
  isObject(value) &&
  typeof (value as AbortSignal).aborted === 'boolean' &&
  isFunction((value as AbortSignal).addEventListener);
const isIsolation: Check = (value) =>
  value === 'none' || value === 'basic' || value === 'strict' || value === 'paranoid';

const isNames: Check = (value) => {
  if (!isObject(value)) return false;
  const { userId, agentId, sessionId } = value as Partial<CallerNames>;
  return [userId, agentId, sessionId].every(isText);
};

const isOuterFlows: Check = (value) =>
  Array.isArray(value) &&
  value.every((flow: unknown) => {
    if (!isObject(flow)) return false;
    const { flowId, usd } = flow as Partial<OuterFlow>;
    return isText(flowId) && (usd === undefined || isLimit(usd));
  });

const isTrace: Check = (value) => {
  if (!isObject(value)) return false;
  const { traceparent, tracestate } = value as Partial<TraceContext>;
  const trace = readTrace(traceparent, tracestate);
  return trace !== undefined && trace.tracestate === tracestate;
};

/** What an option has to be, and the test for it. */
type Rule = readonly [must: string, check: Check];

const TEXT: Rule = ['be a text', isText];
/** An empty key would be the same for all calls that have none of their own: only the first would be made. */
const KEY: Rule = ['be a text that is not empty', (value) => isText(value) && value !== ''];
const TEXTS: Rule = ['be a list of texts', isTexts];
const FUNCTION: Rule = ['be a function', isFunction];

const RULES_BY_NAME: { readonly [K in keyof CallAs]-?: Rule } = {
  userId: TEXT,
  agentId: TEXT,
  sessionId: TEXT,
  loopId: TEXT,
  roles: TEXTS,
  permissions: TEXTS,
  tools: TEXTS,
  authenticated: ['hold userId, agentId and sessionId as texts', isNames],
  isolation: ['be none, basic, strict or paranoid', isIsolation],
  version: TEXT,
  idempotencyKey: KEY,
  dryRun: ['be true or false', (value) => typeof value === 'boolean'],
  timeoutMs: ['be a number of milliseconds', isLimit],
  signal: ['be an AbortSignal', isSignal],
  approvalId: TEXT,
  audience: ['be program or model', (value) => value === 'program' || value === 'model'],
  traceId: TEXT,
  trace: ['hold traceparent as W3C Trace Context writes it', isTrace],
  flowId: TEXT,
  dailyUsd: ['be a number of dollars', isLimit],
  flowUsd: ['be a number of dollars', isLimit],
  outerFlows: ['be a list of flows', isOuterFlows],
  planConsent: ['come from the plan of a flow', isPlanConsent],
  runRecords: ['come from the run of a flow', (value) => RunRecords.is(value)],
  durable: ['come from a run or a job', (value) => DurableWork.is(value)],
  approver: ['be an approver', isObject],
  elicit: FUNCTION,
  elicitUrl: FUNCTION,
  sample: FUNCTION,
  onProgress: FUNCTION,
};

const RULES: ReadonlyMap<string, Rule> = new Map(Object.entries(RULES_BY_NAME));

/**
 * Finds an inherited option, or options of a foreign kind such as a Map: the call copies only the own
 * fields of a plain object.
 */
const inheritedFault = (as: object, more: readonly string[]): Issue | undefined => {
  const prototype: unknown = Object.getPrototypeOf(as);
  if (prototype === Object.prototype || prototype === null) return undefined;
  const foreign = foreignKindFault(as);
  if (foreign) return { path: ['options'], message: `have to be ${foreign}` };
  for (const name of [...RULES.keys(), ...more]) {
    if (Object.hasOwn(as, name) || Reflect.get(as, name) === undefined) continue;
    return { path: [name], message: 'has to be a field of the options themselves' };
  }
  return undefined;
};

const unknownText = (name: string, more: readonly string[]): string => {
  if (more.length === 0) return unknownNameText(name, RULES.keys());
  const meant = didYouMean(name, [...more, ...RULES.keys()]);
  return `is not known${meant || `; known are ${more.join(', ')} and those of the caller`}`;
};

/** Checks only the options that are present, not every possible one. `undefined` counts as absent. */
const optionFault = (as: object, more: readonly string[]): Issue | undefined => {
  const names = Object.keys(as);
  if (Object.getOwnPropertyNames(as).length !== names.length) {
    return { path: ['options'], message: 'have a hidden field' };
  }
  for (const name of names) {
    const value: unknown = Reflect.get(as, name);
    if (value === undefined) continue;
    const rule = RULES.get(name);
    if (!rule && more.includes(name)) continue;
    if (!rule) return { path: [name], message: unknownText(name, more) };
    if (!rule[1](value)) return { path: [name], message: `has to ${rule[0]}` };
  }
  return inheritedFault(as, more);
};

/**
 * Says what is wrong with the options of a call, or nothing. Never throws. `more` names options beside
 * those of a call, which somebody else checks.
 */
export const optionsFault = (as: unknown, more: readonly string[] = []): Issue | undefined => {
  if (as === undefined) return undefined;
  try {
    // Within `try`, because `Array.isArray` throws for a revoked proxy.
    if (!isObject(as) || Array.isArray(as)) {
      return { path: ['options'], message: 'have to be an object' };
    }
    return optionFault(as as object, more);
  } catch {
    return { path: ['options'], message: 'cannot be read' };
  }
};

/** Returns the first thing wrong with a request, or nothing. Never throws. */
export const requestFault = (toolName: unknown, as: unknown): Issue | undefined =>
  typeof toolName === 'string'
    ? optionsFault(as)
    : { path: ['tool'], message: 'has to be the name of a tool' };
