/**
 * One round of a request that may have to ask its client first: the answers so far, and how to ask.
 * The state between two rounds (2026-07-28) travels through the client. It is signed and valid for
 * one session, one tool and one input, for 15 minutes.
 */
import { randomBytes } from 'node:crypto';
import type {
  InputRequest,
  InputRequiredResult,
  RequestStateCodec,
  ServerContext,
} from '@modelcontextprotocol/server';
import { shortDigestOf } from '../../../kit/data/canonical-json.ts';
import { lazy } from '../../../kit/data/lazy.ts';
import { type AskRound, openLink } from '../client-link.ts';
import type { Sdk } from '../load-sdk.ts';
import type { McpSession } from '../session.ts';
import type { ServerDeps } from '../surface-deps.ts';
import type { CallContext, CallState, CallStates } from './call-context.ts';

const VALID_SECONDS = 15 * 60;
/** A state that answers make longer than this is refused. */
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
      // The codec reads nothing of the context but what `bind` reads.
      const minted = await codec.mint(state, ctx as ServerContext);
      if (minted.length <= MAX_STATE_CHARS) return minted;
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'The answers are too long');
    },
    verify: (state, ctx) => codec.verify(state, ctx as ServerContext),
  };
};

/** Reads a text of the metadata of a request. */
export const textMeta = (ctx: CallContext, key: string): string | undefined => {
  const meta = ctx.mcpReq._meta ?? {};
  const value = Object.hasOwn(meta, key) ? meta[key] : undefined;
  return typeof value === 'string' ? value : undefined;
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

/** Makes a digest on first use: most calls wait for nothing and bring no state. */
export const laterDigest = (...parts: readonly unknown[]): (() => string) =>
  lazy(() => shortDigestOf(parts));

/** Opens a round. Throws when the request brings the state of another one. */
export const openRound = (deps: ServerDeps, ctx: CallContext, digest: () => string): AskRound => {
  const state = stateOf(ctx, digest, deps.sdk);
  const answers = { ...state?.given, ...ctx.mcpReq.inputResponses };
  const link = openLink({ ctx, era: deps.era, capabilities: deps.capabilities, answers });
  return { ctx, digest, state, link };
};

export interface ClientQuestions {
  readonly inputRequests: Record<string, InputRequest>;
  readonly approvalId?: string;
  /** The call that waits for the answers; without it the call is made again with them. */
  readonly held?: string;
}

/** Makes the state for the next round. A held call keeps its answers itself. */
const nextState = ({ state, ctx, digest }: AskRound, questions: ClientQuestions): CallState => {
  const { approvalId, held } = questions;
  const call = digest();
  if (held !== undefined) return { call, held };
  if (approvalId !== undefined) return { ...state, call, approvalId };
  return { call, given: { ...state?.given, ...ctx.mcpReq.inputResponses } };
};

export const askClient = async (
  deps: ServerDeps,
  round: AskRound,
  questions: ClientQuestions,
): Promise<InputRequiredResult> => {
  const { inputRequests } = questions;
  const next = nextState(round, questions);
  const { ctx } = round;
  return deps.sdk.inputRequired({
    inputRequests,
    requestState: await deps.states.mint(next, ctx),
  });
};

/** Asks the client the questions of the tool or prompt, if it has any. */
export const askNeeded = async (
  deps: ServerDeps,
  round: AskRound,
): Promise<InputRequiredResult | undefined> => {
  const inputRequests = { ...round.link.needed };
  return Object.keys(inputRequests).length > 0
    ? askClient(deps, round, { inputRequests })
    : undefined;
};
