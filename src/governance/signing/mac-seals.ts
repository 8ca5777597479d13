/**
 * Seals rows that only processes of the same user verify, with a key derived from the user's signing
 * key: a hundredth of the time that a signature takes.
 */
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Logger } from '../../contract/runtime.ts';

const PREFIX = 'mac1:';

export class MacSeals {
  readonly #key: KeyObject;
  readonly #log: Pick<Logger, 'warn'>;
  /** Kinds that were reported: a store full of planted rows must not fill the log. */
  readonly #reported = new Set<string>();

  constructor(key: Uint8Array, log: Pick<Logger, 'warn'>) {
    this.#key = createSecretKey(key);
    this.#log = log;
  }

  seal(text: string): string {
    return `${PREFIX}${this.#mac(text).toString('base64')}`;
  }

  /**
   * Tells whether this user sealed the text, or one of the forms that it had before; otherwise logs it
   * once for each kind of row.
   */
  isOurs(text: string, seal: string | undefined, ...before: readonly string[]): boolean {
    const isMac = seal !== undefined && MacSeals.isMac(seal);
    if (isMac && [text, ...before].some((form) => this.#fits(form, seal))) return true;
    // The first line of what is sealed names its kind, as in `toolcrib step 1`.
    const kind = text.slice(0, text.indexOf('\n'));
    if (!this.#reported.has(kind)) {
      this.#reported.add(kind);
      this.#log.warn('The store holds rows without your seal; they count for nothing.', { kind });
    }
    return false;
  }

  /** Says whether a seal is of this kind, and not a signature. */
  static isMac(seal: string): boolean {
    return seal.startsWith(PREFIX);
  }

  #fits(text: string, seal: string): boolean {
    const actual = Buffer.from(seal.slice(PREFIX.length), 'base64');
    const expected = this.#mac(text);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
