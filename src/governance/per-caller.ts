/** Makes a text for a caller, and keeps it for the next calls of the same caller. */
import type { CallerNames } from '../contract/caller.ts';

export const perCaller = (
  make: (names: CallerNames) => string,
): ((names: CallerNames) => string) => {
  let last: CallerNames | undefined;
  let text = '';
  return (names) => {
    const { userId, agentId, sessionId } = names;
    if (last?.userId === userId && last.agentId === agentId && last.sessionId === sessionId) {
      return text;
    }
    text = make(names);
    last = { userId, agentId, sessionId };
    return text;
  };
};
