/** Checks the options of a crib: a misspelt `policy` must not leave a crib without rules. */
import { stat } from 'node:fs/promises';
import { STORE_URL, STORE_URL_TEXT } from '../config/sections/store-url.ts';
import { ToolFailure } from '../contract/errors.ts';
import {
  type ArgumentCheck,
  assertArguments,
  callback,
  either,
  fields,
  flag,
  list,
  object,
  optional,
  runtimeParts,
  someFields,
  text,
  withMethods,
} from '../kit/data/check-arguments.ts';

const ownStore = withMethods('close');

/** Refuses what is no address before the first call needs it. */
const address: ArgumentCheck = (value) =>
  typeof value === 'string' && STORE_URL.test(value) ? undefined : STORE_URL_TEXT;

const store: ArgumentCheck = (value) => {
  if (value === 'memory') return undefined;
  const isStore = typeof value === 'object' && value !== null && 'audit' in value;
  const isPostgres = typeof value === 'object' && value !== null && 'postgres' in value;
  const database = isPostgres ? fields({ postgres: address }) : fields({ sqlite: text });
  const problem = isStore ? ownStore(value) : database(value);
  return (
    problem &&
    `has to be 'memory', { sqlite: 'file.db' }, { postgres: 'postgres://…' } or a store (${problem})`
  );
};

const approver: ArgumentCheck = (value) =>
  either(callback, withMethods('ask'))(value) &&
  'has to be a function that answers, or an object with the method ask';

const lock: ArgumentCheck = (value) =>
  value === 'memory' || object(value) === undefined
    ? undefined
    : "has to be 'memory' or the location of lock files";

const sources: ArgumentCheck = (value) =>
  list(value) ??
  ((value as readonly unknown[]).every((source) => withMethods('load')(source) === undefined)
    ? undefined
    : 'has to be a list of sources, each with the method load');

const names: ArgumentCheck = (value) =>
  value instanceof Set ? undefined : 'has to be a set of names';

const flowFiles: ArgumentCheck = (value) =>
  value instanceof Map ? undefined : 'has to be a Map of file names and contents';

const startServers: ArgumentCheck = (value) =>
  value === 'briefly' || value === 'background' || flag(value) === undefined
    ? undefined
    : "has to be true, false, 'briefly' or 'background'";

/** Options that `openProject` takes from the project's folder. */
const PROJECT_SETTINGS = {
  settings: optional(object),
  config: optional(object),
  root: optional(text),
  home: optional(text),
  policyFiles: optional(list),
  lock: optional(lock),
  customTools: optional(withMethods('files')),
  packages: optional(someFields({ userDir: text })),
  flowFiles: optional(flowFiles),
  untrustedTools: optional(names),
};

const OWN_SETTINGS = {
  approver: optional(approver),
  secrets: optional(withMethods('get')),
  model: optional(withMethods('generate')),
  validators: optional(object),
  background: optional(
    fields({
      embeddings: optional(withMethods('generate')),
      push: optional(withMethods('send')),
    }),
  ),
  store: optional(store),
  policy: optional(object),
  tools: optional(list),
  sources: optional(sources),
  builtins: optional(flag),
  watch: optional(flag),
  startServers: optional(startServers),
  runtime: optional(runtimeParts),
};

export const CRIB_OPTIONS = { ...PROJECT_SETTINGS, ...OWN_SETTINGS };
export const PROJECT_OPTIONS = { ...OWN_SETTINGS, env: optional(object) };

/** Throws VALIDATION_ERROR for an option that is unknown or of the wrong type. */
export const assertOptions = (
  options: unknown,
  checks: Readonly<Record<string, ArgumentCheck>>,
): void => assertArguments({ options: fields(checks) }, [options]);

/** Throws VALIDATION_ERROR when the folder to work in does not exist. */
export const assertFolder = async (root: string | undefined, argument = 'root'): Promise<void> => {
  if (root === undefined) return;
  const isFolder = await stat(root).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (isFolder) return;
  const message = 'has to be an existing folder';
  throw new ToolFailure('VALIDATION_ERROR', `${argument}: ${message}.`, {
    issues: [{ path: [argument], message }],
  });
};
