/** The ways in which servers behind the crib can ask the client that makes a call. */
import type { CallAs } from '../../../contract/call-options.ts';
import { takesSampling } from '../client-link.ts';
import type { ServerSite } from '../server-site.ts';
import type { CallContext } from './call-context.ts';
import { type AskClient, elicitClient, MAX_WAIT_MS, sampleClient } from './elicit-client.ts';
import type { HeldCall } from './held-calls.ts';

/** Asks a client of the 2025 protocols while the call waits. */
const asksAtOnce =
  ({ mcpReq }: CallContext): AskClient =>
  ({ method, params }, signal) => {
    const options = { signal, timeout: MAX_WAIT_MS };
    return method === 'elicitation/create'
      ? mcpReq.elicitInput(params, options)
      : mcpReq.send({ method, params: { ...params } }, options);
  };

/** Says whether the client could answer anything. */
export const canAnswer = (site: ServerSite, ctx: CallContext): boolean =>
  site.takesForms(ctx) || takesSampling(site.capabilities(ctx));

/** `held` is the call that can wait between two requests of a client of the 2026-07-28 protocol. */
export const askersFor = (
  site: ServerSite,
  { ctx, held }: { readonly ctx: CallContext; readonly held?: HeldCall },
): Pick<CallAs, 'elicit' | 'sample'> => {
  if (!canAnswer(site, ctx)) return {};
  const ask: AskClient = held ? (...asked) => held.ask(...asked) : asksAtOnce(ctx);
  return {
    ...(site.takesForms(ctx) && { elicit: elicitClient(ask) }),
    ...(takesSampling(site.capabilities(ctx)) && { sample: sampleClient(ask) }),
  };
};
