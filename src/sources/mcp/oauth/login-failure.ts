/** What went wrong in a login, in our words: strangers' texts are not repeated. */
import { ToolFailure } from '../../../contract/errors.ts';

const ISSUER = new Set(['IssuerMismatchError', 'AuthorizationServerMismatchError']);

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? code : undefined;
};

export const loginFailure = (thrown: unknown): ToolFailure => {
  if (thrown instanceof ToolFailure) return thrown;
  const error = thrown instanceof Error ? thrown : new Error('unknown');
  if (ISSUER.has(error.name)) {
    return new ToolFailure('SECURITY_VIOLATION', 'The login server answers for another issuer.', {
      suggestions: ['Ask whoever runs the server; no code was redeemed and no token kept.'],
    });
  }
  const code = codeOf(error);
  if (code !== undefined) {
    return new ToolFailure('SERVER_ERROR', `The login server refused the login (${code}).`, {
      suggestions: ['Log out and in again: that registers this program afresh.'],
    });
  }
  if (error instanceof TypeError || error.name === 'TimeoutError') {
    return new ToolFailure('NETWORK', 'The login server could not be reached.', {
      suggestions: ['Check the address of the server and your network, then try again.'],
    });
  }
  return new ToolFailure('SERVER_ERROR', 'The login server does not keep to the protocol.', {
    suggestions: ['Ask whoever runs the server which kind of login it offers.'],
  });
};
