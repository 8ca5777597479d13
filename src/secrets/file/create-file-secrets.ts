/**
 * Secrets in one JSON or YAML file that only its owner can read. A file that others could read or
 * replace is refused, and a broken one is an error: neither is ever taken for an empty one.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SecretVault } from '../../contract/secrets.ts';
import { assertSecretKey, assertSecretValue } from '../secret-key.ts';
import { assertSafeFolder, readPrivateFile } from './read-private-file.ts';
import { type SecretMap, secretsFormat } from './secrets-format.ts';
import { writePrivateFile } from './write-private-file.ts';

/** Fails in words a person can act on, with the file's name and without its content. */
export const createFileSecrets = (path: string): SecretVault => {
  const format = secretsFormat(path);
  /** One change after the other, so that none is lost. */
  let last: Promise<unknown> = Promise.resolve();

  const read = async (): Promise<SecretMap> => {
    const text = await readPrivateFile(path);
    return text === undefined ? new Map() : format.parse(text);
  };

  /** `change` answers whether there is something to write. */
  const edit = (change: (secrets: Map<string, string>) => boolean): Promise<boolean> => {
    const done = last.then(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await assertSafeFolder(path);
      return writePrivateFile(path, async () => {
        const secrets = new Map(await read());
        return change(secrets) ? format.print(secrets) : undefined;
      });
    });
    last = done.catch(() => undefined);
    return done;
  };

  return {
    label: `file ${path}`,
    get: async (key) => (await read()).get(key),
    keys: async () => [...(await read()).keys()],
    set: async (key, value) => {
      assertSecretKey(key);
      assertSecretValue(value);
      await edit((secrets) => secrets.set(key, value).has(key));
    },
    remove: async (key) => (await read()).has(key) && edit((secrets) => secrets.delete(key)),
  };
};
