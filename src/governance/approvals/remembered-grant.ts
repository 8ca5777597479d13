/** Makes the standing grant behind "allow for this session" and "always allow this pattern". */
import type { ApprovalRecord, Remember } from '../../contract/approver.ts';
import type { NewGrant } from '../../contract/grant.ts';
import { DAY_MS } from '../../kit/data/durations.ts';

/** A forgotten session must not be allowed for ever. */
const MAX_SESSION_MS = DAY_MS;
/** Nor must a forgotten pattern. */
const MAX_PATTERN_MS = 365 * DAY_MS;

/** Makes the grant. A changed definition of the tool ends it: then the person is asked again. */
export const rememberedGrant = (
  { request, userId, agentId, sessionId, definition, targets }: ApprovalRecord,
  remember: Remember,
  made: { readonly by: string; readonly at: number },
): NewGrant => {
  const common = {
    resource: `tool:${request.tool}`,
    // A call without a declared capability has the name of its tool as its only action.
    actions: request.action === request.tool ? ['*'] : [request.action],
    skipsApproval: true,
    definition,
    by: made.by,
  };
  if (remember.scope === 'session') {
    return {
      ...common,
      subject: { user: userId, agent: agentId, session: sessionId },
      expiresAt: made.at + MAX_SESSION_MS,
      note: 'allowed for this session, 24 hours at most',
    };
  }
  return {
    ...common,
    subject: { user: userId, agent: agentId },
    condition: remember.condition,
    targets,
    expiresAt: Math.min(remember.expiresAt ?? Number.POSITIVE_INFINITY, made.at + MAX_PATTERN_MS),
    note: 'always allowed by pattern',
  };
};
