/**
 * Secrets in one JSON or YAML file that only its owner can read. A file that others could read or
 * replace is refused, and a broken one is an error: neither is ever taken for an empty one.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { SecretVault } from '../../contract/secrets.ts';
import { createOneAtATime } from '../../kit/data/bounded-work.ts';
import { assertSecretKey, assertSecretValue } from '../secret-key.ts';
import {
  assertSafeFolder,
  readPrivateFile,
  refusedFile,
  writePrivateFile,
} from './read-private-file.ts';

type SecretMap = ReadonlyMap<string, string>;

interface SecretsFormat {
  /** Fails with CONFIG_INVALID; what the file holds is never part of the message. */
  parse(text: string): Promise<SecretMap> | SecretMap;
  print(secrets: SecretMap): Promise<string> | string;
}

const REMEDY = 'It holds one object whose values are texts, e.g. {"STRIPE_SECRET_KEY": "…"}.';

const asMap = (path: string, value: unknown): SecretMap => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refusedFile(path, 'does not hold an object', REMEDY);
  }
  const entries = Object.entries(value);
  const odd = entries.find(([, secret]) => typeof secret !== 'string');
  if (odd) throw refusedFile(path, `has a value that is not a text: ${odd[0]}`, REMEDY);
  return new Map(entries as [string, string][]);
};

const jsonFormat = (path: string): SecretsFormat => ({
  parse: (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw refusedFile(path, 'is not valid JSON', 'Correct it, or move it away and start anew.');
    }
    return asMap(path, value);
  },
  print: (secrets) => `${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`,
});

/** Every scalar is a text here: `012345` is a password, not a number. */
const SCHEMA = { schema: 'failsafe' } as const;

const yamlFormat = (path: string): SecretsFormat => ({
  parse: async (text) => {
    const { parseDocument } = await import('yaml');
    const document = parseDocument(text, SCHEMA);
    if (document.errors.length > 0 || document.warnings.length > 0) {
      throw refusedFile(path, 'is not valid YAML', 'Correct it, or move it away and start anew.');
    }
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: 0 });
    } catch {
      throw refusedFile(path, 'uses aliases', 'Write each value out.');
    }
    return asMap(path, value);
  },
  print: async (secrets) => {
    const { stringify } = await import('yaml');
    return stringify(Object.fromEntries(secrets), { lineWidth: 0 });
  },
});

/** Chooses the format by the ending of the file's name; what is not YAML is JSON. */
const secretsFormat = (path: string): SecretsFormat =>
  /\.ya?ml$/i.test(path) ? yamlFormat(path) : jsonFormat(path);

/** Creates the vault. Its failures name the file and what to do, and never its content. */
export const createFileSecrets = (path: string): SecretVault => {
  const format = secretsFormat(path);
  const oneAtATime = createOneAtATime();

  const read = async (): Promise<SecretMap> => {
    const text = await readPrivateFile(path);
    return text === undefined ? new Map() : format.parse(text);
  };

  /** Edits the file, one edit at a time; `change` tells whether there is something to write. */
  const edit = (change: (secrets: Map<string, string>) => boolean): Promise<boolean> =>
    oneAtATime(path, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await assertSafeFolder(path);
      return writePrivateFile(path, async () => {
        const secrets = new Map(await read());
        return change(secrets) ? format.print(secrets) : undefined;
      });
    });

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
