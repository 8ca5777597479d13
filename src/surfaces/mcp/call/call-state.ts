/**
 * What a call keeps while the client is asked (2026-07-28): it travels through the client, so it is
 * signed, good for one session, one tool and one input, and for a limited time.
 */
import { randomBytes } from 'node:crypto';
import type { RequestStateCodec, ServerContext } from '@modelcontextprotocol/server';
import type { Sdk } from '../load-sdk.ts';
import type { McpSession } from '../session.ts';
import type { CallContext } from './call-context.ts';

export interface CallState {
  /** Digest of tool and input. */
  readonly call: string;
  readonly approvalId?: string;
  /** Answers of earlier rounds. */
  readonly given?: Readonly<Record<string, unknown>>;
}

const VALID_SECONDS = 15 * 60;
/** Answers that make a state longer than this are not carried along. */
const MOST_BYTES = 64_000;

export const newStateKey = (): Uint8Array => randomBytes(32);

export interface CallStates {
  mint(state: CallState, ctx: CallContext): Promise<string>;
  /** Throws for whatever was not made here, for this session, a short while ago. */
  verify(state: string, ctx: CallContext): Promise<CallState>;
}

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
      if (minted.length <= MOST_BYTES) return minted;
      throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, 'The answers are too long');
    },
    verify: (state, ctx) => codec.verify(state, ctx as ServerContext),
  };
};

/** The verified state of this round, if there is one. Throws when it belongs to another call. */
export const stateOf = (ctx: CallContext, call: () => string, sdk: Sdk): CallState | undefined => {
  const state = ctx.mcpReq.requestState<CallState>();
  if (state === undefined || state.call === call()) return state;
  throw new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    'Invalid or expired requestState',
    { reason: 'invalid_request_state' },
  );
};
