/** One secret for one client, compared in constant time. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { McpHttpOptions, McpIdentity } from '../mcp-options.ts';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

export const newToken = (): string => randomBytes(24).toString('base64url');

export const bearerToken = (
  token: string,
  identity: McpIdentity,
): McpHttpOptions['authenticate'] => {
  if (token === '') throw new TypeError('A token must not be empty.');
  const expected = digest(token);
  return (request) => {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    return given !== undefined && timingSafeEqual(digest(given), expected) ? identity : undefined;
  };
};
