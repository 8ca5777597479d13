/** Judges one precondition by its fields and, where it has one, its `check`. An unknown kind is not met. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditLog, AuditRow } from '../contract/audit.ts';
import type { Call } from '../contract/call.ts';
import type { ToolContext } from '../contract/context.ts';
import type { Precondition } from '../contract/precondition.ts';
import { isHeld } from '../governance/policy/rights.ts';
import type { Registry } from '../registry/registry.ts';
import { type AuthorizeDeps, flowOf, questionOf } from './stages/authorize.ts';

export interface PreconditionDeps
  extends Pick<AuthorizeDeps, 'policy' | 'standingGrants' | 'labels' | 'definitionOf'> {
  readonly tools: Pick<Registry, 'get' | 'unmetDependency'>;
  readonly audit: Pick<AuditLog, 'query'>;
}

export interface PreconditionScene {
  readonly call: Call<'ready' | 'input'>;
  readonly context: ToolContext;
  readonly deps: PreconditionDeps;
}

/** Limits how far back a call of the session is looked for. */
const MAX_PAGES = 20;
const PAGE_ROWS = 250;

type Answer = boolean | Promise<boolean>;

/** Waits with the language's own `then`: a promise of the tool may have another. */
const isTrue = async (answer: unknown): Promise<boolean> => (await answer) === true;

/** Runs the `check`; answers at once where that does, so that nobody waits. */
const agrees = (precondition: Precondition, context: ToolContext): Answer => {
  if (precondition.check === undefined) return true;
  const answer: unknown = precondition.check(context);
  if (typeof answer === 'boolean') return answer;
  return isTrue(answer);
};

/** Runs the `check`. A precondition that has nothing else is not met without one. */
const checked = (precondition: Precondition, context: ToolContext): Answer =>
  precondition.check !== undefined && agrees(precondition, context);

const stateHolds = async (
  precondition: Extract<Precondition, { type: 'state' }>,
  { context }: PreconditionScene,
): Promise<boolean> => {
  const { state, expectedValue } = precondition;
  if (expectedValue === undefined) return checked(precondition, context);
  const value = await context.memory.read('short-term', state);
  if (value === undefined) return checked(precondition, context);
  const isExpected =
    typeof expectedValue === 'function'
      ? (await expectedValue(value)) === true
      : isDeepStrictEqual(value, expectedValue);
  return isExpected && (await agrees(precondition, context));
};

const isPermitted = async (
  permission: string,
  { call, deps }: PreconditionScene,
): Promise<boolean> => {
  const rights = deps.policy.rightsOf?.(call.caller) ?? call.caller;
  if (isHeld(rights.permissions, permission)) return true;
  const question = questionOf(call, await flowOf(call, deps));
  const grantFor = await deps.standingGrants.forCall(question, deps.definitionOf(call.ready));
  return grantFor(permission) !== undefined;
};

const isAvailable = (name: string, { tools }: PreconditionDeps): boolean => {
  const entry = tools.get(name);
  return entry?.enabled === true && tools.unmetDependency(entry.tool) === undefined;
};

const isUndone = async (row: AuditRow, { audit }: PreconditionDeps): Promise<boolean> => {
  const { executionId } = row;
  return (await audit.query({ executionId, status: 'undone', limit: 1 })).length > 0;
};

/** Looks for a call of this user and session that succeeded; a dry run has done nothing. */
const isCompleted = async (name: string, { call, deps }: PreconditionScene): Promise<boolean> => {
  const { userId, sessionId } = call.caller;
  const tool = deps.tools.get(name)?.tool.name ?? name;
  const filter = { tool, userId, kind: 'outcome', status: 'success', limit: PAGE_ROWS } as const;
  let before: number | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const rows = await deps.audit.query(before === undefined ? filter : { ...filter, before });
    for (const row of rows) {
      if (row.sessionId !== sessionId || row.detail.dryRun === true) continue;
      if (!(await isUndone(row, deps))) return true;
    }
    before = rows.at(-1)?.seq;
    if (rows.length < PAGE_ROWS) return false;
  }
  return false;
};

/** Judges a dependency on another tool. */
const dependencyHolds = async (
  precondition: Extract<Precondition, { type: 'dependency' }>,
  scene: PreconditionScene,
): Promise<boolean> => {
  const { tool, status } = precondition;
  if (status !== 'available' && status !== 'completed') return false;
  const isMet =
    status === 'available' ? isAvailable(tool, scene.deps) : await isCompleted(tool, scene);
  return isMet && agrees(precondition, scene.context);
};

const permissionHolds = async (
  precondition: Extract<Precondition, { type: 'permission' }>,
  scene: PreconditionScene,
): Promise<boolean> =>
  (await isPermitted(precondition.permission, scene)) && agrees(precondition, scene.context);

/** Says whether a precondition holds. Throws or rejects when its `check` does. */
export const judgePrecondition = (precondition: Precondition, scene: PreconditionScene): Answer => {
  switch (precondition.type) {
    case 'resource':
    case 'custom':
      return checked(precondition, scene.context);
    case 'state':
      return stateHolds(precondition, scene);
    case 'permission':
      return permissionHolds(precondition, scene);
    case 'dependency':
      return dependencyHolds(precondition, scene);
    default:
      return false;
  }
};
