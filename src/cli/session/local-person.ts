/** The person at this machine, for the record: whoever is logged in. */
import { userInfo } from 'node:os';

/** An account that the system has no name for is still somebody. */
export const localPerson = (): string => {
  try {
    return userInfo().username;
  } catch {
    return 'local';
  }
};
