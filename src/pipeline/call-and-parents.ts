/** Walks from a call to the calls that made it. Not for the hot path, where a plain loop is faster. */
import type { CallRequest } from '../contract/call.ts';

/** Yields the call and then the calls that made it, the outermost last. */
export function* callAndParents(call: CallRequest): Iterable<CallRequest> {
  for (let each: CallRequest | undefined = call; each; each = each.parent) yield each;
}
