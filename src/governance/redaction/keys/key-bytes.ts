/** Tells private keys from certificates, public keys and pictures by the first bytes of their base64. */

/** What the start of a base64 text says of the whole. */
export type Content = 'private' | 'public' | 'unknown';

/** Certificate requests, public keys of SSH, signatures, pictures, archives, documents. */
const PUBLIC_STARTS = /^(?:AAAA[BCEI]|U1NIU0lH|iVBOR|R0lGOD|\/9j\/|JVBERi|UEsDB|H4sI|UklGR|d09G)/;
const OPENSSH_KEY = 'b3BlbnNzaC1rZXktdjE';
const HEAD_CHARS = 32;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OBJECT_ID = 0x06;
/** The versions of PKCS #1, PKCS #8, SEC 1 and PKCS #12. */
const VERSIONS: readonly (number | undefined)[] = [0, 1, 3];
/** What follows the version: an algorithm, the first number of a key, the key as bytes. */
const AFTER_VERSION: readonly (number | undefined)[] = [SEQUENCE, INTEGER, 0x04];
/** Encryption with a password, as in encrypted PKCS #8: 1.2.840.113549.1.5 and 1.12. */
const PASSWORD_ENCRYPTION = /^2a864886f70d010[5c]/;

/** Returns where the content of the DER element at a place starts; -1 when it has no usual length. */
const contentAt = (bytes: Buffer, at: number): number => {
  const length = bytes[at + 1] ?? 0xff;
  if (length < 0x80) return at + 2;
  return length <= 0x83 ? at + 2 + (length & 3) : -1;
};

const derContent = (bytes: Buffer): Content => {
  const at = bytes[0] === SEQUENCE ? contentAt(bytes, 0) : -1;
  if (at < 0) return 'unknown';
  if (bytes[at] === INTEGER) {
    const isKey =
      bytes[at + 1] === 1 &&
      VERSIONS.includes(bytes[at + 2]) &&
      AFTER_VERSION.includes(bytes[at + 3]);
    return isKey ? 'private' : 'unknown';
  }
  if (bytes[at] !== SEQUENCE) return 'unknown';
  const inner = contentAt(bytes, at);
  if (inner < 0) return 'unknown';
  if (bytes[inner] !== OBJECT_ID) return 'public';
  const id = bytes.subarray(inner + 2).toString('hex');
  return PASSWORD_ENCRYPTION.test(id) ? 'private' : 'public';
};

/** Judges the base64 text that starts at a place. */
export const contentOf = (text: string, from: number): Content => {
  if (text.startsWith(OPENSSH_KEY, from)) return 'private';
  const head = text.slice(from, from + HEAD_CHARS);
  if (PUBLIC_STARTS.test(head)) return 'public';
  return head.startsWith('M') ? derContent(Buffer.from(head, 'base64')) : 'unknown';
};
