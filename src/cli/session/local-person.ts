/** Names the person at this machine, for the record. */
import { userInfo } from 'node:os';

/** Returns the name of the logged-in account; `local` when the system has none. */
export const localPerson = (): string => {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
};
