/** What calls use of the request behind them: part of the library's context, so that others can stand in. */
import type { RequestMethod, ServerContext } from '@modelcontextprotocol/server';

type LibraryRequest = ServerContext['mcpReq'];

export interface CallRequestContext
  extends Pick<
    LibraryRequest,
    | '_meta'
    | 'elicitInput'
    | 'envelope'
    | 'inputResponses'
    | 'log'
    | 'method'
    | 'notify'
    | 'requestState'
    | 'signal'
  > {
  /** Asks the client, on behalf of this request. */
  send(request: { method: RequestMethod; params?: Record<string, unknown> }): Promise<unknown>;
}

export interface CallContext {
  readonly mcpReq: CallRequestContext;
}
