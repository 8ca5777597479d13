/** Which addresses a login may send people and credentials to: https, or this machine. */
import { ToolFailure } from '../../../contract/errors.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname);

const parsed = (text: string): URL | undefined => {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
};

/**
 * Fails with SECURITY_VIOLATION. What a server names as its login page is handed to the browser, and
 * `file:` or a scheme of some program would start something else there.
 */
export const assertSecureAddress = (what: string, text: string): URL => {
  const url = parsed(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
  if (url && isSafe && url.username === '' && url.password === '') return url;
  throw new ToolFailure('SECURITY_VIOLATION', `The ${what} is no safe address.`, {
    suggestions: ['It has to be https, or http on this machine, without a user name in it.'],
  });
};
