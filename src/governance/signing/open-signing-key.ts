/**
 * Opens the key this user signs with: created on first use, kept in a file that nobody else can
 * read, and refused when another user could have read or planted it.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import type { Stats } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import {
  type FileFault,
  othersReach,
  ownUid,
  type ReadFileRules,
  readCheckedFile,
  UNREADABLE_BY_OTHERS,
} from '../../kit/file/private-file.ts';
import { createFile } from '../../kit/file/replace-file.ts';

export interface SigningKey {
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string;
  /** Gives base64 of the Ed25519 signature over the UTF-8 bytes of the text. */
  sign(text: string): string;
  /** Derives 32 secret bytes, others for each purpose, from which the key cannot be found. */
  deriveKey(purpose: string): Uint8Array;
}

/** A key is about 120 characters long. */
const MAX_KEY_BYTES = 4096;
const RAW_BYTES = 32;

const refuse = (what: string, suggestion: string): ToolFailure =>
  new ToolFailure('SECURITY_VIOLATION', `The signing key ${what}.`, { suggestions: [suggestion] });

/** Recognises a mounted secret: it belongs to root, and the group of the process may read it. */
export const isMountedSecret = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean =>
  uid === 0 && (mode & 0o037) === 0;

const assertPrivate = (stats: Stats): void => {
  switch (
    stats.isFile() ? othersReach(stats, { forbidden: UNREADABLE_BY_OTHERS }, ownUid()) : undefined
  ) {
    case 'owner':
      throw refuse('belongs to another user', 'Move it away; a new key is made.');
    case 'mode':
      throw refuse(
        'can be read or changed by others',
        'If nobody else can have seen it: chmod 600 on the file. Otherwise move it away; a new key is made.',
      );
    default:
  }
};

const cannotOpen = (error: unknown): unknown => {
  if (error instanceof ToolFailure) return error;
  return errorCodeOf(error) === 'ELOOP'
    ? refuse('is a link', 'Put the key file itself in its place.')
    : refuse('cannot be opened', 'Make the key file readable for this user alone.');
};

const parseKey = (text: string): KeyObject => {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Falls through: the reason could quote the key.
  }
  throw refuse('cannot be read', 'Restore the key file from a backup, or move it away.');
};

export const derivedKey = (key: KeyObject, purpose: string): Uint8Array =>
  new Uint8Array(
    hkdfSync('sha256', key.export({ format: 'der', type: 'pkcs8' }), '', purpose, RAW_BYTES),
  );

const signingKey = (key: KeyObject): SigningKey => {
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-RAW_BYTES).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('base64'),
    deriveKey: (purpose) => derivedKey(key, purpose),
  };
};

const assertNamed = (stats: Stats): void => {
  if (!isMountedSecret(stats)) assertPrivate(stats);
};

const OWN_RULES: ReadFileRules = { maxBytes: MAX_KEY_BYTES, noLink: true, check: assertPrivate };
/** Mounted secrets are links to the version that counts. */
const NAMED_RULES: ReadFileRules = { maxBytes: MAX_KEY_BYTES, check: assertNamed };

/** Reads the key; `undefined` when there is no file. Throws for a file that cannot be trusted. */
export const readSigningKey = async (
  file: string,
  rules: ReadFileRules = OWN_RULES,
): Promise<SigningKey | undefined> => {
  let read: Uint8Array | FileFault;
  try {
    read = await readCheckedFile(file, rules);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw cannotOpen(error);
  }
  if (typeof read === 'string') {
    throw refuse('is not a key file', 'Move what lies there away; a new key is made.');
  }
  return signingKey(parseKey(Buffer.from(read).toString('utf8')));
};

const createKeyFile = async (file: string): Promise<void> => {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await createFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  } catch {
    throw refuse('cannot be made', 'Make the folder of the key writable for this user.');
  }
};

/**
 * Opens a key that a person has put there, such as a mounted secret. Fails with CONFIG_INVALID when the
 * file is missing, and with SECURITY_VIOLATION as `openSigningKey` does; links are followed.
 */
export const openNamedKey = async (file: string): Promise<SigningKey> => {
  const key = await readSigningKey(file, NAMED_RULES);
  if (key) return key;
  throw new ToolFailure(
    'CONFIG_INVALID',
    'TOOLCRIB_SIGNING_KEY_FILE names a file that is missing.',
    {
      suggestions: [
        'Copy keys/signing.pem of the first machine there, readable for this user alone.',
      ],
    },
  );
};

/**
 * Opens the key, and creates it with its folder when it is missing. Throws SECURITY_VIOLATION for a
 * file that is a link, of another user, readable by others, or no Ed25519 key.
 */
export const openSigningKey = async (file: string): Promise<SigningKey> => {
  for (;;) {
    const key = await readSigningKey(file);
    if (key) return key;
    await createKeyFile(file);
  }
};
