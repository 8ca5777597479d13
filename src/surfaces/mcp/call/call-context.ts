/** What calls use of the request behind them: part of the library's context, so that others can stand in. */
import type { RequestMethod, RequestOptions, ServerContext } from '@modelcontextprotocol/server';

type LibraryRequest = ServerContext['mcpReq'];

export interface CallRequestContext
  extends Pick<
    LibraryRequest,
    | '_meta'
    | 'elicitInput'
    | 'envelope'
    | 'id'
    | 'inputResponses'
    | 'log'
    | 'method'
    | 'notify'
    | 'requestState'
    | 'signal'
  > {
  /** Asks the client, on behalf of this request. */
  send(
    request: { method: RequestMethod; params?: Record<string, unknown> },
    options?: Pick<RequestOptions, 'signal' | 'timeout'>,
  ): Promise<unknown>;
}

export interface CallContext {
  readonly mcpReq: CallRequestContext;
}

/** What a call keeps while the client is asked. */
export interface CallState {
  /** Digest of tool and input. */
  readonly call: string;
  readonly approvalId?: string;
  /** The call that is held until its client answers. */
  readonly held?: string;
  /** Answers of earlier rounds. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** Signs and verifies such states. */
export interface CallStates {
  mint(state: CallState, ctx: CallContext): Promise<string>;
  /** Throws for whatever was not made here, for this session, a short while ago. */
  verify(state: string, ctx: CallContext): Promise<CallState>;
}
