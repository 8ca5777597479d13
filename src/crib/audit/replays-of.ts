/** `crib.audit.replay`: recorded calls under today's rules. */
import type { AuditRow } from '../../contract/audit.ts';
import { isOwner } from '../../contract/caller.ts';
import type { CribAudit } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ReplayAs, ReplayFilter, ReplayOptions } from '../../contract/replay.ts';
import type { Servers } from '../../contract/servers.ts';
import type { CribSources } from '../../contract/sources.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import type { MemberDeps } from '../members/member-deps.ts';
import type { ReplayCallDeps } from './replay-call.ts';

export interface AuditDeps extends MemberDeps {
  readonly servers: Pick<Servers, 'list'>;
  readonly sources: Pick<CribSources, 'list'>;
}

const DEFAULT_LIMIT = 1000;

/** Makes the test for servers and sources that have not listed their tools yet. */
const unanswered =
  ({ servers, sources }: AuditDeps) =>
  (source: string): boolean =>
    servers
      .list()
      .some(({ name, state, tools }) => `mcp:${name}` === source && state !== 'ready' && !tools) ||
    sources
      .list()
      .some(
        ({ name, kind, state, tools }) =>
          `${kind}:${name}` === source && state !== 'ready' && !tools,
      );

const depsOf = async (deps: AuditDeps): Promise<ReplayCallDeps> => {
  const { store, engine } = await deps.open();
  return { audit: store.audit, engine, now: deps.runtime.now, isUnanswered: unanswered(deps) };
};

/** Throws where a caller who is no owner or admin names the roles that a call is judged in. */
const assertMayName = ({ roles }: ReplayOptions, as: ReplayAs | undefined): void => {
  if (roles === undefined || isOwner(callerOf(as))) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Only an owner or admin may name roles.', {
    suggestions: ['Leave roles out.'],
  });
};

/** Makes the error for a call that is not on record. A call of another user gets the same one. */
const notFound = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'There is no call of yours with that execution id.', {
    suggestions: ['See which there are: toolcrib audit list'],
  });

const recordOf = async (
  { audit }: ReplayCallDeps,
  executionId: string,
  as: ReplayAs | undefined,
): Promise<AuditRow> => {
  const [outcome] = await audit.query({ executionId, kind: 'outcome', limit: 1 });
  const [row] = outcome ? [outcome] : await audit.query({ executionId, kind: 'intent', limit: 1 });
  const caller = callerOf(as);
  if (row && (isOwner(caller) || row.userId === caller.userId)) return row;
  throw notFound();
};

const replayAll = async function* replayAll(
  deps: AuditDeps,
  filter: ReplayFilter,
  as: ReplayAs | undefined,
) {
  const { limit = DEFAULT_LIMIT, roles, ...range } = filter;
  const options = roles ? { roles } : {};
  assertMayName(options, as);
  const caller = callerOf(as);
  const own = isOwner(caller) ? range : { ...range, userId: caller.userId };
  // Calls of other users are treated as not on record, as in `replay`.
  if (range.userId !== undefined && range.userId !== own.userId) return;
  const [{ replayCall }, { outcomeRows }, ready] = await Promise.all([
    import('../audit/replay-call.ts'),
    import('../audit/recorded-call.ts'),
    depsOf(deps),
  ]);
  let read = 0;
  for await (const row of outcomeRows(ready.audit, own)) {
    if (read === limit) return;
    read += 1;
    yield await replayCall(row, ready, options);
  }
};

export const replaysOf = (deps: AuditDeps): Pick<CribAudit, 'replay' | 'replayAll'> => ({
  replay: async (executionId, options = {}, as) => {
    assertMayName(options, as);
    const ready = await depsOf(deps);
    const row = await recordOf(ready, executionId, as);
    const { replayCall } = await import('../audit/replay-call.ts');
    return replayCall(row, ready, options);
  },
  replayAll: (filter = {}, as) => replayAll(deps, filter, as),
});
