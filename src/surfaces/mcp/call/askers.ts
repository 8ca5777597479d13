/** The ways in which servers behind the crib can ask the client that makes a call. */
import type { CallAs } from '../../../contract/call-options.ts';
import { takesSampling, takesUrls } from '../client-link.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { CallContext } from './call-context.ts';
import {
  type AskClient,
  elicitClient,
  elicitUrlByClient,
  MAX_WAIT_MS,
  sampleClient,
} from './elicit-client.ts';
import type { HeldCall } from './held-calls.ts';

/** Asks a client of the 2025 protocols while the call waits. */
const asksAtOnce =
  ({ mcpReq }: CallContext): AskClient =>
  ({ method, params }, signal) => {
    const options = { signal, timeout: MAX_WAIT_MS, relatedRequestId: mcpReq.id };
    return method === 'elicitation/create'
      ? mcpReq.elicitInput(params, options)
      : mcpReq.send({ method, params: { ...params } }, options);
  };

/** Says whether the client could answer anything. */
export const canAnswer = (deps: ServerDeps, ctx: CallContext): boolean =>
  deps.takesForms(ctx) ||
  takesUrls(deps.capabilities(ctx)) ||
  takesSampling(deps.capabilities(ctx));

/** `held` is the call that can wait between two requests of a client of the 2026-07-28 protocol. */
export const askersFor = (
  deps: ServerDeps,
  { ctx, held }: { readonly ctx: CallContext; readonly held?: HeldCall },
): Pick<CallAs, 'elicit' | 'elicitUrl' | 'sample'> => {
  if (!canAnswer(deps, ctx)) return {};
  const ask: AskClient = held ? (...asked) => held.ask(...asked) : asksAtOnce(ctx);
  return {
    ...(deps.takesForms(ctx) && { elicit: elicitClient(ask) }),
    ...(takesUrls(deps.capabilities(ctx)) && { elicitUrl: elicitUrlByClient(ask) }),
    ...(takesSampling(deps.capabilities(ctx)) && { sample: sampleClient(ask) }),
  };
};
