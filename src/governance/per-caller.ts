/** Works out a text for a caller; once for many calls in a row, as the same one often makes. */
import type { Caller } from '../contract/caller.ts';

type Names = Pick<Caller, 'userId' | 'agentId' | 'sessionId'>;

export const perCaller = (make: (caller: Names) => string): ((caller: Names) => string) => {
  let last: Names | undefined;
  let text = '';
  return (caller) => {
    const { userId, agentId, sessionId } = caller;
    if (last?.userId === userId && last.agentId === agentId && last.sessionId === sessionId) {
      return text;
    }
    text = make(caller);
    last = { userId, agentId, sessionId };
    return text;
  };
};
