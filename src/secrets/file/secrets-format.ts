/** How the secrets file is written: one flat object of names and texts, as JSON or as YAML. */
import { refusedFile } from './read-private-file.ts';

export type SecretMap = ReadonlyMap<string, string>;

export interface SecretsFormat {
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

/** By the end of the file's name; what is not YAML is JSON. */
export const secretsFormat = (path: string): SecretsFormat =>
  /\.ya?ml$/i.test(path) ? yamlFormat(path) : jsonFormat(path);
