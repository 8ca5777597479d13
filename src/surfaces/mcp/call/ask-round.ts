/** One request of a client that may have to be asked something first. */
import type { OpenLink } from '../client-link.ts';
import type { CallContext, CallState } from './call-context.ts';

export interface AskRound {
  readonly ctx: CallContext;
  /** Digest of what was asked for: the state of one request is worth nothing to another. */
  digest(): string;
  readonly state: CallState | undefined;
  readonly link: OpenLink;
}
