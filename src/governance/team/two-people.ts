/**
 * Tells whether two names may be one person. A name is proven by its token, so the same name is the same
 * person, and so is somebody who made the token of the other: an admin must not approve with a second one.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { TokenRecord } from '../../contract/tokens.ts';

const PREFIX = 'token:';
/** Names that a surface has proven: holders of tokens, and users who logged in elsewhere. */
const USER = 'oidc:';
const PROVEN = [PREFIX, USER];

/** Names the people who made the token of a name, and the tokens of those, up to the machine's owner. */
export const makersOf = (
  name: string,
  tokens: readonly Pick<TokenRecord, 'name' | 'createdBy'>[],
): ReadonlySet<string> => {
  const makers = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // Also of tokens that are revoked: a name can be given out again.
    for (const { name: holder, createdBy } of tokens) {
      if (`${PREFIX}${holder}` !== next || makers.has(createdBy)) continue;
      makers.add(createdBy);
      waiting.push(createdBy);
    }
  }
  return makers;
};

const isMakerOf = (maker: string, name: string, tokens: Parameters<typeof makersOf>[1]): boolean =>
  // Who owns the machine hands out the first tokens, and holds the signing key anyway.
  PROVEN.some((prefix) => maker.startsWith(prefix)) && makersOf(name, tokens).has(maker);

/** Throws PERMISSION_DENIED where the one who approves may be the one who proposed. */
export const assertTwoPeople = (
  proposer: string,
  approver: string,
  tokens: Parameters<typeof makersOf>[1],
): void => {
  const isOne =
    proposer === approver ||
    isMakerOf(proposer, approver, tokens) ||
    isMakerOf(approver, proposer, tokens);
  if (!isOne) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Somebody else has to approve a proposal.', {
    suggestions: [
      'Ask another operator or admin of the server: neither the proposer, nor one whose token the proposer made.',
    ],
  });
};

/** Throws PERMISSION_DENIED unless both are users who logged in: two tokens may be of one person. */
export const assertUsers = (proposer: string, approver: string): void => {
  if ([proposer, approver].every((name) => name.startsWith(USER))) return;
  throw new ToolFailure('PERMISSION_DENIED', 'Two users who log in have to propose and approve.', {
    suggestions: [
      'Log in over OpenID Connect; this server takes no token for it (reviewers: users).',
    ],
  });
};
