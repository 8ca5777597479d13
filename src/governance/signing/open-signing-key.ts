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

/** What is wrong with a key file, and what to do about one that this program made and one that a person named. */
const FAULTS = {
  owner: {
    what: 'belongs to another user',
    own: 'Move it away; a new key is made.',
    named: 'Make it a file of this user: chown, or a copy.',
  },
  mode: {
    what: 'can be read or changed by others',
    own: 'If nobody else can have seen it: chmod 600 on the file. Otherwise move it away; a new key is made.',
    named: 'If nobody else can have seen it: chmod 600 on the file.',
  },
  link: {
    what: 'is a link',
    own: 'Put the key file itself in its place.',
    named: 'Name the key file itself.',
  },
  closed: {
    what: 'cannot be opened',
    own: 'Make the key file readable for this user alone.',
    named:
      'Make it readable for this user alone, and its folder accessible: chmod 600 on the file.',
  },
  content: {
    what: 'cannot be read',
    own: 'Restore the key file from a backup, or move it away.',
    named: 'It has to hold an Ed25519 key as PEM: copy keys/signing.pem of the first machine.',
  },
  kind: {
    what: 'is not a key file',
    own: 'Move what lies there away; a new key is made.',
    named: 'It has to hold an Ed25519 key as PEM: copy keys/signing.pem of the first machine.',
  },
  folder: {
    what: 'cannot be made',
    own: 'Make the folder of the key writable for this user.',
    named: 'Make the folder of the key writable for this user.',
  },
} as const;

type KeyFault = keyof typeof FAULTS;

class BadKeyFile extends Error {
  readonly fault: KeyFault;

  constructor(fault: KeyFault) {
    super(FAULTS[fault].what);
    this.name = 'BadKeyFile';
    this.fault = fault;
  }
}

const NAMING = 'TOOLCRIB_SIGNING_KEY_FILE';

/** Names what is wrong with a file that could not be read as a key. */
const faultOf = (error: unknown): KeyFault => {
  if (error instanceof BadKeyFile) return error.fault;
  return errorCodeOf(error) === 'ELOOP' ? 'link' : 'closed';
};

/** Says what is wrong with the key of this user. */
const refusalOf = (error: unknown, file: string): ToolFailure => {
  const { what, own } = FAULTS[faultOf(error)];
  return new ToolFailure('SECURITY_VIOLATION', `The signing key ${what}: ${file}.`, {
    suggestions: [own],
  });
};

/** Says what is wrong with a key that a person has named: that is a fault of the configuration. */
const namedRefusalOf = (error: unknown, file: string): ToolFailure => {
  const { what, named } = FAULTS[faultOf(error)];
  const message = `${NAMING} names ${file}, and that signing key ${what}.`;
  return new ToolFailure('CONFIG_INVALID', message, { suggestions: [named] });
};

/** Recognises a mounted secret: it belongs to root, and the group of the process may read it. */
export const isMountedSecret = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean =>
  uid === 0 && (mode & 0o037) === 0;

const assertPrivate = (stats: Stats): void => {
  switch (
    stats.isFile() ? othersReach(stats, { forbidden: UNREADABLE_BY_OTHERS }, ownUid()) : undefined
  ) {
    case 'owner':
      throw new BadKeyFile('owner');
    case 'mode':
      throw new BadKeyFile('mode');
    default:
  }
};

const parseKey = (text: string): KeyObject => {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Falls through: the reason could quote the key.
  }
  throw new BadKeyFile('content');
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

const readKey = async (file: string, rules: ReadFileRules): Promise<SigningKey | undefined> => {
  let read: Uint8Array | FileFault;
  try {
    read = await readCheckedFile(file, rules);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (typeof read === 'string') throw new BadKeyFile('kind');
  return signingKey(parseKey(Buffer.from(read).toString('utf8')));
};

/** Reads the key; `undefined` when there is no file. Throws for a file that cannot be trusted. */
export const readSigningKey = async (file: string): Promise<SigningKey | undefined> => {
  try {
    return await readKey(file, OWN_RULES);
  } catch (error) {
    throw refusalOf(error, file);
  }
};

const createKeyFile = async (file: string): Promise<void> => {
  const { privateKey } = generateKeyPairSync('ed25519');
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await createFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  } catch {
    throw refusalOf(new BadKeyFile('folder'), file);
  }
};

/**
 * Opens a key that a person has put there, such as a mounted secret. Fails with CONFIG_INVALID when the
 * file is missing or cannot be trusted; links are followed.
 */
export const openNamedKey = async (file: string): Promise<SigningKey> => {
  let key: SigningKey | undefined;
  try {
    key = await readKey(file, NAMED_RULES);
  } catch (error) {
    throw namedRefusalOf(error, file);
  }
  if (key) return key;
  throw new ToolFailure('CONFIG_INVALID', `${NAMING} names ${file}, and there is no such file.`, {
    suggestions: [
      'Copy keys/signing.pem of the first machine there, readable for this user alone: chmod 600.',
    ],
  });
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
