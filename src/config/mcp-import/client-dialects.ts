/** Entries of programs that word them in their own way, in the words that most others share. Pure. */
import type { ClientName } from './client-files.ts';

type Entry = Readonly<Record<string, unknown>>;

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const own = (entry: Entry, key: string): unknown =>
  Object.hasOwn(entry, key) ? entry[key] : undefined;

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const variable = (name: string): string => `\${env:${name}}`;

/** Names of variables of the environment, by the name of what they are the value of. */
const variablesIn = (value: unknown): Entry =>
  isEntry(value)
    ? Object.fromEntries(
        Object.entries(value).map(([name, source]) => [
          name,
          typeof source === 'string' ? variable(source) : source,
        ]),
      )
    : {};

const entryIn = (value: unknown): Entry => (isEntry(value) ? value : {});

/** Sets a member only where there is something in it. */
const filled = (key: string, pairs: Entry): Entry =>
  Object.keys(pairs).length > 0 ? { [key]: pairs } : {};

/** Codex: headers by value and by variable, a bearer token by variable, variables that are passed on. */
const fromCodex = (entry: Entry): Entry => {
  const token = own(entry, 'bearer_token_env_var');
  const passed = textsIn(own(entry, 'env_vars')).map((name) => [name, variable(name)]);
  const seconds = own(entry, 'tool_timeout_sec');
  return {
    ...entry,
    ...filled('headers', {
      ...entryIn(own(entry, 'http_headers')),
      ...variablesIn(own(entry, 'env_http_headers')),
      ...(typeof token === 'string' && { Authorization: `Bearer ${variable(token)}` }),
    }),
    ...filled('env', { ...Object.fromEntries(passed), ...entryIn(own(entry, 'env')) }),
    ...(typeof seconds === 'number' && { timeout: Math.round(seconds * 1000) }),
  };
};

/** `{env:NAME}` is how opencode writes a variable. */
const withVariables = (value: unknown): unknown => {
  if (typeof value === 'string') {
    return value.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, (_all, name: string) => variable(name));
  }
  if (Array.isArray(value)) return value.map(withVariables);
  if (!isEntry(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withVariables(item)]));
};

/** opencode: one list for the command and its arguments, and `environment`. */
const fromOpencode = (given: Entry): Entry => {
  const entry = entryIn(withVariables(given));
  const words = own(entry, 'command');
  const { type: _, ...rest } = entry;
  if (!Array.isArray(words)) return rest;
  const [command, ...args] = words as readonly unknown[];
  return { ...rest, command, args, ...filled('env', entryIn(own(entry, 'environment'))) };
};

/** Returns the entry in the words that `mcpServers` of most programs have. */
export const inCommonWords = (entry: unknown, client: ClientName | undefined): unknown => {
  if (!isEntry(entry)) return entry;
  if (client === 'codex') return fromCodex(entry);
  return client === 'opencode' ? fromOpencode(entry) : entry;
};
