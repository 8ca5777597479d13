/**
 * Proves that an approval or a grant in the store was put there by this user: a store can come with
 * a cloned folder, and its approvals do not count without our seal.
 */
import { LRUCache } from 'lru-cache';
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { Grant } from '../../contract/grant.ts';
import type { Logger } from '../../contract/runtime.ts';
import type { Approvals } from '../../contract/store.ts';
import { canonicalJson, sha256Hex } from '../../kit/data/canonical-json.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { verifySignature } from '../signing/verify-signature.ts';

type Decision = Parameters<Approvals['decide']>[1];

/** Gives the text to seal for a grant. Its prefix keeps seals of different purposes apart. */
export const grantText = ({ seal: _seal, ...grant }: Grant): string =>
  `toolcrib grant 1\n${canonicalJson(grant)}`;

/** Gives the text to seal for a decision: the binding of the approval, and the decision. */
export const decisionText = (
  record: ApprovalRecord,
  { approve, by, at, note, edited }: Omit<Decision, 'seal'>,
): string => {
  const { id, expiresAt, userId, agentId, sessionId, tool, version } = record;
  const { inputDigest, definition, targets, states, policyVersion, within, step } = record;
  const who = { userId, agentId, sessionId, within, step };
  const call = { ...who, tool, version, inputDigest, definition, targets, states };
  const decision = { approve, by, at, note, edited };
  return `toolcrib approval 1\n${canonicalJson({ id, expiresAt, policyVersion, call, said: decision })}`;
};

/** Reads the decision from the record of a decided question. */
export const decisionOf = ({ state, decidedBy, decidedAt, note, edited }: ApprovalRecord) => ({
  approve: state !== 'denied',
  by: decidedBy ?? '',
  at: decidedAt ?? 0,
  ...(note !== undefined && { note }),
  ...(edited && { edited }),
});

const MAX_REMEMBERED = 10_000;

export class Seals {
  readonly #key: () => Promise<SigningKey>;
  readonly #log: Pick<Logger, 'warn'>;
  /** Digests of texts that this process sealed or verified, so that nothing is verified twice. */
  readonly #ours = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  /** Kinds that were reported: a store full of planted rows must not fill the log. */
  readonly #reported = new Set<string>();

  constructor(key: () => Promise<SigningKey>, log: Pick<Logger, 'warn'>) {
    this.#key = key;
    this.#log = log;
  }

  /** Seals a text. Without a key it counts for this process alone, and the log says so. */
  async seal(text: string): Promise<string | undefined> {
    this.#ours.set(sha256Hex(text), true);
    try {
      return (await this.#key()).sign(text);
    } catch (error) {
      const why = reasonOf(error);
      this.#log.warn('no key to seal an approval with: other processes will not accept it', {
        why,
      });
      return undefined;
    }
  }

  /** Tells whether this user sealed the text; otherwise logs it once for each kind of row. */
  async isOurs(text: string, seal: string | undefined): Promise<boolean> {
    // A digest, because a sealed text holds whole inputs.
    const digest = sha256Hex(text);
    if (this.#ours.has(digest)) return true;
    if (seal !== undefined && (await this.#isSealed(text, seal))) {
      this.#ours.set(digest, true);
      return true;
    }
    this.#report(text);
    return false;
  }

  async #isSealed(text: string, signature: string): Promise<boolean> {
    try {
      const { publicKey } = await this.#key();
      return verifySignature({ publicKey, text, signature });
    } catch {
      return false;
    }
  }

  #report(text: string): void {
    // The first line of what is sealed names its kind, as in `toolcrib grant 1`.
    const [kind] = text.split('\n', 1);
    if (this.#reported.has(String(kind))) return;
    this.#reported.add(String(kind));
    this.#log.warn('The store holds rows without your seal; they count for nothing.', { kind });
  }
}
