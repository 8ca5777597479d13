/** One round of a request that may have to ask its client first: what was answered, and how to ask. */
import type { InputRequest, InputRequiredResult } from '@modelcontextprotocol/server';
import { type OpenLink, openLink } from '../client-link.ts';
import type { ServerSite } from '../server-site.ts';
import type { CallContext } from './call-context.ts';
import { type CallState, stateOf } from './call-state.ts';

export interface AskRound {
  readonly ctx: CallContext;
  /** Digest of what was asked for: the state of one request is worth nothing to another. */
  digest(): string;
  readonly state: CallState | undefined;
  readonly link: OpenLink;
}

/** Throws when the request brings the state of another one. */
export const openRound = (site: ServerSite, ctx: CallContext, digest: () => string): AskRound => {
  const state = stateOf(ctx, digest, site.sdk);
  const answers = { ...state?.given, ...ctx.mcpReq.inputResponses };
  const link = openLink({ ctx, era: site.era, capabilities: site.capabilities(ctx), answers });
  return { ctx, digest, state, link };
};

export const askClient = async (
  site: ServerSite,
  round: AskRound,
  asked: { readonly inputRequests: Record<string, InputRequest>; readonly approvalId?: string },
): Promise<InputRequiredResult> => {
  const { approvalId, inputRequests } = asked;
  const { state, ctx } = round;
  const call = round.digest();
  const given = { ...state?.given, ...ctx.mcpReq.inputResponses };
  const next: CallState =
    approvalId === undefined ? { call, given } : { ...state, call, approvalId };
  return site.sdk.inputRequired({
    inputRequests,
    requestState: await site.states.mint(next, ctx),
  });
};

/** What the tool or prompt wants to know, where it does. */
export const askNeeded = async (
  site: ServerSite,
  round: AskRound,
): Promise<InputRequiredResult | undefined> => {
  const inputRequests = { ...round.link.needed };
  return Object.keys(inputRequests).length > 0
    ? askClient(site, round, { inputRequests })
    : undefined;
};
