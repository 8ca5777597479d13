/** Finds what is wrong with how a call was made, before anything is done with it. */
import type { CallAs } from '../contract/call-options.ts';
import type { CallerNames } from '../contract/caller.ts';
import type { Issue } from '../contract/errors.ts';

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

/** By field: what it has to be, and the test for it. */
const FIELDS: { readonly [K in keyof CallAs]-?: readonly [must: string, check: Check] } = {
  userId: ['be a text', isText],
  agentId: ['be a text', isText],
  sessionId: ['be a text', isText],
  loopId: ['be a text', isText],
  roles: ['be a list of texts', isTexts],
  permissions: ['be a list of texts', isTexts],
  tools: ['be a list of texts', isTexts],
  authenticated: ['hold userId, agentId and sessionId as texts', isNames],
  isolation: ['be none, basic, strict or paranoid', isIsolation],
  version: ['be a text', isText],
  idempotencyKey: ['be a text', isText],
  dryRun: ['be true or false', (value) => typeof value === 'boolean'],
  timeoutMs: ['be a number of milliseconds', isLimit],
  signal: ['be an AbortSignal', isSignal],
  approvalId: ['be a text', isText],
  audience: ['be program or model', (value) => value === 'program' || value === 'model'],
  traceId: ['be a text', isText],
  flowId: ['be a text', isText],
  dailyUsd: ['be a number of dollars', isLimit],
  approver: ['be an approver', isObject],
  elicit: ['be a function', isFunction],
  sample: ['be a function', isFunction],
  onProgress: ['be a function', isFunction],
};

const NAMES = Object.keys(FIELDS) as (keyof CallAs)[];

const fieldFault = (as: CallAs): Issue | undefined => {
  for (const name of NAMES) {
    const value: unknown = as[name];
    if (value === undefined) continue;
    const [must, check] = FIELDS[name];
    if (!check(value)) return { path: [name], message: `has to ${must}` };
  }
  return undefined;
};

/** The first thing wrong, or nothing. Never throws. */
export const requestFault = (toolName: unknown, as: unknown): Issue | undefined => {
  if (typeof toolName !== 'string')
    return { path: ['tool'], message: 'has to be the name of a tool' };
  if (as === undefined) return undefined;
  if (!isObject(as)) return { path: ['options'], message: 'have to be an object' };
  try {
    return fieldFault(as as CallAs);
  } catch {
    return { path: ['options'], message: 'cannot be read' };
  }
};
