/**
 * Makes and reads signed tokens that answer one question once. A token names the question, the
 * answer and its expiry; the store takes only one decision, so a token works once.
 */

export interface LinkClaim {
  readonly approvalId: string;
  readonly approve: boolean;
  readonly expiresAt: number;
}

export interface LinkKeys {
  sign(text: string): string;
  /** Tells whether the signature is ours over this text. */
  verify(text: string, signature: string): boolean;
}

/** Signed as a prefix of the claim, so that no other signature of ours is a link. */
const DOMAIN = 'toolcrib approval link 1\n';
const MAX_LENGTH = 2048;

const toText = (claim: LinkClaim): string =>
  JSON.stringify([claim.approvalId, claim.approve, claim.expiresAt]);

/** Makes the token: the claim and its signature, both safe in a URL. */
export const makeLinkToken = (claim: LinkClaim, keys: LinkKeys): string => {
  const text = toText(claim);
  const signature = Buffer.from(keys.sign(DOMAIN + text), 'base64').toString('base64url');
  return `${Buffer.from(text, 'utf8').toString('base64url')}.${signature}`;
};

const parseClaim = (text: string): LinkClaim | undefined => {
  try {
    const [approvalId, approve, expiresAt, ...rest] = JSON.parse(text);
    const wellFormed =
      typeof approvalId === 'string' &&
      typeof approve === 'boolean' &&
      typeof expiresAt === 'number' &&
      rest.length === 0;
    return wellFormed ? { approvalId, approve, expiresAt } : undefined;
  } catch {
    return undefined;
  }
};

/** Gives the claim of a token that is ours and not expired; `undefined` for every other text. */
export const readLinkToken = (
  token: string,
  keys: Pick<LinkKeys, 'verify'>,
  now: number,
): LinkClaim | undefined => {
  const [claim = '', signature = '', ...rest] = token.slice(0, MAX_LENGTH + 1).split('.');
  if (token.length > MAX_LENGTH || rest.length > 0) return undefined;
  const text = Buffer.from(claim, 'base64url').toString('utf8');
  const signed = Buffer.from(signature, 'base64url').toString('base64');
  if (!keys.verify(DOMAIN + text, signed)) return undefined;
  const parsed = parseClaim(text);
  return parsed && parsed.expiresAt > now ? parsed : undefined;
};
