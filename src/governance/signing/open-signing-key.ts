/**
 * The key this user signs with: made on first use, kept in a file that nobody else can read, and
 * refused when somebody else could have read or planted it.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';

export interface SigningKey {
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string;
  /** Base64 of the Ed25519 signature over the UTF-8 bytes of the text. */
  sign(text: string): string;
}

/** A key is about 120 characters; a file far larger is none. */
const LARGEST = 4096;
const RAW_BYTES = 32;

const refuse = (what: string, suggestion: string): ToolFailure =>
  new ToolFailure('SECURITY_VIOLATION', `The signing key ${what}.`, { suggestions: [suggestion] });

/** Opened without following a link, so that what is checked is what is read. */
const openFile = async (file: string): Promise<FileHandle | undefined> => {
  try {
    return await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') {
      throw refuse('is a link', 'Put the key file itself in its place.');
    }
    throw refuse('cannot be opened', 'Make the key file readable for this user alone.');
  }
};

const assertPrivate = async (handle: FileHandle): Promise<void> => {
  const stats = await handle.stat();
  if (!stats.isFile() || stats.size > LARGEST) {
    throw refuse('is not a key file', 'Move what lies there away; a new key is made.');
  }
  // Platforms without numeric owners have no such modes either.
  const self = process.getuid?.();
  if (self === undefined) return;
  if (stats.uid !== self) {
    throw refuse('belongs to another user', 'Move it away; a new key is made.');
  }
  if ((stats.mode & 0o077) !== 0) {
    throw refuse(
      'can be read or changed by others',
      'If nobody else can have seen it: chmod 600 on the file. Otherwise move it away; a new key is made.',
    );
  }
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

const signingKey = (key: KeyObject): SigningKey => {
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-RAW_BYTES).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('base64'),
  };
};

/** The key in the file; `undefined` when there is no file. Throws for a file that is not to be trusted. */
export const readSigningKey = async (file: string): Promise<SigningKey | undefined> => {
  const handle = await openFile(file);
  if (!handle) return undefined;
  try {
    await assertPrivate(handle);
    return signingKey(parseKey(await handle.readFile('utf8')));
  } finally {
    await handle.close();
  }
};

const writeDraft = async (draft: string): Promise<void> => {
  const { privateKey } = generateKeyPairSync('ed25519');
  await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** A link to a finished file appears whole or not at all, and only the first one can be made. */
const publish = async (draft: string, file: string): Promise<void> => {
  try {
    await link(draft, file);
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  }
};

const createKeyFile = async (file: string): Promise<void> => {
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    await writeDraft(draft);
    await publish(draft, file);
  } catch {
    throw refuse('cannot be made', 'Make the folder of the key writable for this user.');
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
};

/**
 * The key in the file, made with its folder when it is not there. Throws SECURITY_VIOLATION for a
 * file that is a link, of another user, readable by others, or no Ed25519 key.
 */
export const openSigningKey = async (file: string): Promise<SigningKey> => {
  for (;;) {
    const found = await readSigningKey(file);
    if (found) return found;
    await createKeyFile(file);
  }
};
