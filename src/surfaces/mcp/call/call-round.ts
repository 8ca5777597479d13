/**
 * One round of a request that may have to ask its client first: what was answered, and how to ask. What
 * a call keeps in between (2026-07-28) travels through the client, so it is signed, and good for one
 * session, one tool and one input, for a limited time.
 */
import { randomBytes } from 'node:crypto';
import type {
  InputRequest,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import { openLink } from '../client-link.ts';
import type { Sdk } from '../load-sdk.ts';
import type { McpSession } from '../session.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { AskRound } from './ask-round.ts';
import type { CallContext, CallState, CallStates } from './call-context.ts';
import { digestOf } from './call-digest.ts';

const VALID_SECONDS = 15 * 60;
/** Answers that make a state longer than this are not carried along. */
const MAX_STATE_CHARS = 64_000;

export const newStateKey = (): Uint8Array => randomBytes(32);

export const callStates = (key: Uint8Array, session: McpSession, sdk: Sdk): CallStates => {
  const codec: RequestStateCodec<CallState> = sdk.createRequestStateCodec<CallState>({
    key,
    ttlSeconds: VALID_SECONDS,
    bind: ({ mcpReq }) => `${mcpReq.method}\0${session.binding}`,
  });
  return {
    mint: async (state, ctx) => {
      // It looks at nothing but what `bind` above does.
      const minted = await codec.mint(state, ctx as ServerContext);
      if (minted.length <= MAX_STATE_CHARS) return minted;
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'The answers are too long');
    },
    verify: (state, ctx) => codec.verify(state, ctx as ServerContext),
  };
};

/** Returns the verified state of this round, if there is one. Throws when it belongs to another call. */
const stateOf = (ctx: CallContext, call: () => string, sdk: Sdk): CallState | undefined => {
  const state = ctx.mcpReq.requestState<CallState>();
  if (state === undefined || state.call === call()) return state;
  throw new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState',
    { reason: 'invalid_request_state' },
  );
};

/** Makes a digest when somebody asks: most calls wait for nothing and bring no state. */
export const laterDigest = (...parts: readonly unknown[]): (() => string) => {
  let made: string | undefined;
  return () => {
    made ??= digestOf(...parts);
    return made;
  };
};

/** Opens a round. Throws when the request brings the state of another one. */
export const openRound = (deps: ServerDeps, ctx: CallContext, digest: () => string): AskRound => {
  const state = stateOf(ctx, digest, deps.sdk);
  const answers = { ...state?.given, ...ctx.mcpReq.inputResponses };
  const link = openLink({ ctx, era: deps.era, capabilities: deps.capabilities, answers });
  return { ctx, digest, state, link };
};

export interface AskedOfClient {
  readonly inputRequests: Record<string, InputRequest>;
  readonly approvalId?: string;
  /** The call that waits for the answers; without it the call is made again with them. */
  readonly held?: string;
}

/** What the next round has to know. A held call keeps its answers itself. */
const nextState = ({ state, ctx, digest }: AskRound, asked: AskedOfClient): CallState => {
  const { approvalId, held } = asked;
  const call = digest();
  if (held !== undefined) return { call, held };
  if (approvalId !== undefined) return { ...state, call, approvalId };
  return { call, given: { ...state?.given, ...ctx.mcpReq.inputResponses } };
};

export const askClient = async (
  deps: ServerDeps,
  round: AskRound,
  asked: AskedOfClient,
): Promise<InputRequiredResult> => {
  const { inputRequests } = asked;
  const next = nextState(round, asked);
  const { ctx } = round;
  return deps.sdk.inputRequired({
    inputRequests,
    requestState: await deps.states.mint(next, ctx),
  });
};

/** Asks the client what the tool or prompt wants to know, where it does. */
export const askNeeded = async (
  deps: ServerDeps,
  round: AskRound,
): Promise<InputRequiredResult | undefined> => {
  const inputRequests = { ...round.link.needed };
  return Object.keys(inputRequests).length > 0
    ? askClient(deps, round, { inputRequests })
    : undefined;
};
