/** The part of the library's context that calls use, so that plain calls can have their own. */
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
  /** Sends a request to the client on behalf of this one. */
  send(
    request: { method: RequestMethod; params?: Record<string, unknown> },
    options?: Pick<RequestOptions, 'signal' | 'timeout'>,
  ): Promise<unknown>;
}

export interface CallContext {
  readonly mcpReq: CallRequestContext;
}

/** The state of a call while its client is asked. */
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
  /**
   * Verifies a state. Throws for one that was not made here, for this session, within the last 15
   * minutes.
   */
  verify(state: string, ctx: CallContext): Promise<CallState>;
}
