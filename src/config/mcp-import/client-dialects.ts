/** Converts entries of programs with their own format to the common format of `mcpServers`. Pure. */
import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import type { ClientName } from './client-files.ts';

type Entry = Readonly<Record<string, unknown>>;

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const variable = (name: string): string => `\${env:${name}}`;

/** Converts names of environment variables to references. */
const variablesIn = (value: unknown): Entry =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, source]) => [
          name,
          typeof source === 'string' ? variable(source) : source,
        ]),
      )
    : {};

const entryIn = (value: unknown): Entry => (isRecord(value) ? value : {});

/** Gives a member, or nothing when it is empty. */
const unlessEmpty = (key: string, pairs: Entry): Entry =>
  Object.keys(pairs).length > 0 ? { [key]: pairs } : {};

/**
 * Reads an entry of Codex, which has headers by value and by variable, a bearer token by variable,
 * and inherited variables.
 */
const fromCodex = (entry: Entry): Entry => {
  const token = ownValue(entry, 'bearer_token_env_var');
  const inherited = textsIn(ownValue(entry, 'env_vars')).map((name) => [name, variable(name)]);
  const seconds = ownValue(entry, 'tool_timeout_sec');
  return {
    ...entry,
    ...unlessEmpty('headers', {
      ...entryIn(ownValue(entry, 'http_headers')),
      ...variablesIn(ownValue(entry, 'env_http_headers')),
      ...(typeof token === 'string' && { Authorization: `Bearer ${variable(token)}` }),
    }),
    ...unlessEmpty('env', { ...Object.fromEntries(inherited), ...entryIn(ownValue(entry, 'env')) }),
    ...(typeof seconds === 'number' && { timeout: Math.round(seconds * 1000) }),
  };
};

/** Converts `{env:NAME}`, the reference of opencode to a variable. */
const withVariables = (value: unknown): unknown => {
  if (typeof value === 'string') {
    return value.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, (_all, name: string) => variable(name));
  }
  if (Array.isArray(value)) return value.map(withVariables);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withVariables(item)]));
};

/**
 * Reads an entry of opencode, which has one list for the command and its arguments, and
 * `environment`.
 */
const fromOpencode = (original: Entry): Entry => {
  const entry = entryIn(withVariables(original));
  const words = ownValue(entry, 'command');
  const { type: _, ...rest } = entry;
  if (!Array.isArray(words)) return rest;
  const [command, ...args] = words as readonly unknown[];
  return { ...rest, command, args, ...unlessEmpty('env', entryIn(ownValue(entry, 'environment'))) };
};

/** Gives the entry in the format that `mcpServers` of most programs has. */
export const commonEntry = (entry: unknown, client: ClientName | undefined): unknown => {
  if (!isRecord(entry)) return entry;
  if (client === 'codex') return fromCodex(entry);
  return client === 'opencode' ? fromOpencode(entry) : entry;
};
