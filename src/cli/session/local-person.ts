/** Names the person at this machine, for the record. */
import { userInfo } from 'node:os';

/** Gives the name of the logged-in account; `local` where the system knows none. */
export const localPerson = (): string => {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
};
