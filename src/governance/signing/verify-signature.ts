/** Checks an Ed25519 signature. Anything but a valid key, signature and text is a no. */
import { createPublicKey, verify } from 'node:crypto';

export interface SignedText {
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string;
  readonly text: string;
  /** Base64 of the 64 raw bytes. */
  readonly signature: string;
}

/** The DER header of an Ed25519 public key, RFC 8410. */
const SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');

/** Decodes strict base64: Node skips unknown characters, so that many texts would be one key. */
const decode = (text: string, bytes: number): Buffer => {
  const raw = Buffer.from(text, 'base64');
  if (raw.length !== bytes || raw.toString('base64') !== text) throw new RangeError('Not base64.');
  return raw;
};

/** Tells whether a text is base64 of 32 bytes, as public keys are written. */
export const isPublicKey = (text: string): boolean => {
  try {
    return decode(text, 32).length > 0;
  } catch {
    return false;
  }
};

/** Verifies a signature. Never throws: garbage is false. */
export const verifySignature = ({ publicKey, text, signature }: SignedText): boolean => {
  try {
    const key = createPublicKey({
      key: Buffer.concat([SPKI_HEADER, decode(publicKey, 32)]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, Buffer.from(text, 'utf8'), key, decode(signature, 64));
  } catch {
    return false;
  }
};
