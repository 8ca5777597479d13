/** Checks the parts of a crib other than tools: store, queue, model, sandboxes, servers, sources. */
import { ToolFailure } from '../../contract/errors.ts';
import type { HealthCheck, HealthKind } from '../../contract/health.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { adviceOf, broken, notSetUp, ok, warning } from './findings.ts';
import type { HealthDeps } from './health-deps.ts';

/** The memory space of the check: it writes, because a store on a full disk can still be opened and read. */
const SPACE = 'toolcrib:readiness';

export interface StoreCheckDeps extends Pick<HealthDeps, 'store'> {
  readonly runtime: Pick<Runtime, 'now'>;
}

export const checkStore = async ({ store, runtime }: StoreCheckDeps): Promise<HealthCheck> => {
  try {
    const { isReadOnly, memory, label } = await store();
    if (isReadOnly) {
      const fix = 'Make the file of the store, and its folder, writable for this user.';
      return broken('store', `${label} can only be read`, fix);
    }
    await memory.write({ space: SPACE, key: 'written', value: runtime.now() });
    return ok('store', `${label} opens and can be written`);
  } catch (error) {
    const fix =
      adviceOf(error) ??
      'Make the directory of store.path writable and free some space, or set another path.';
    return broken('store', `The store cannot be written: ${reasonOf(error)}`, fix);
  }
};

const checkQueue = async ({ askQueue }: HealthDeps): Promise<HealthCheck> => {
  try {
    await askQueue();
    return ok('queue', 'The queue of jobs answers');
  } catch (error) {
    const message = `The queue of jobs does not answer: ${reasonOf(error)}`;
    const isUnset = error instanceof ToolFailure && error.code === 'CONFIG_INVALID';
    return isUnset
      ? notSetUp(warning('queue', reasonOf(error), adviceOf(error)))
      : broken('queue', message, adviceOf(error) ?? 'Start it, or correct jobs.url.');
  }
};

/** Checks the settings of the model. Sends no request, because that would cost money. */
const checkModel = async ({ model, secret }: HealthDeps): Promise<HealthCheck> => {
  if (model === 'given') return ok('model', 'The program brings its own model');
  if (!model) {
    const fix = 'Set model.provider and model.model in the configuration.';
    const message = 'No language model: the few operations that need one will say so';
    return notSetUp(warning('model', message, fix));
  }
  const { label, missingPackages, keyName, install } = model;
  if (missingPackages.length > 0) {
    const message = `${label} cannot be asked: ${missingPackages.join(' and ')} is not installed`;
    return notSetUp(warning('model', message, install));
  }
  if (keyName !== undefined && (await secret(keyName)) === undefined) {
    const fix = `Store it: toolcrib secrets set ${keyName}`;
    return notSetUp(
      warning('model', `${label} cannot be asked: ${keyName} is not configured`, fix),
    );
  }
  return ok('model', label);
};

/** Warns of a missing sandbox: the checks of the tools that need it report it as broken. */
const checkSandbox = async (deps: HealthDeps, type: string): Promise<HealthCheck> => {
  const sandbox = (await deps.sandboxes()).find((one) => one.type === type);
  if (sandbox?.ready) return ok('sandbox', `Sandbox ${type} works`);
  const { reason = 'there is none of this kind', install } = sandbox ?? {};
  const names = deps
    .tools()
    .filter(({ tool }) => tool.sandbox?.type === type)
    .map(({ tool }) => tool.name);
  const needed = names.length > 0 ? ` These tools cannot run without it: ${names.join(', ')}.` : '';
  return notSetUp(warning('sandbox', `No ${type} sandbox: ${reason}${needed}`, install));
};

const checkServer = async (deps: HealthDeps, name: string): Promise<HealthCheck> => {
  const status = deps.servers().find((one) => one.name === name);
  if (status?.state === 'disabled') {
    return notSetUp(warning('server', `${name} is switched off`));
  }
  const login = notSetUp(
    warning('server', `${name} needs a login`, `Log in: toolcrib servers login ${name}`),
  );
  if (status?.state === 'needs_login') return login;
  try {
    const { state, tools } = await deps.server(name);
    if (state === 'needs_login') return login;
    const count = `${tools} ${tools === 1 ? 'tool' : 'tools'}`;
    return ok('server', `${name}: ${count}${state === 'idle' ? ', started when needed' : ''}`);
  } catch (error) {
    const fix = adviceOf(error) ?? `See why: toolcrib servers test ${name}`;
    return broken('server', `${name}: ${reasonOf(error)}`, fix);
  }
};

const checkSource = async (deps: HealthDeps, name: string): Promise<HealthCheck> => {
  const status = deps.sources().find((one) => one.name === name);
  if (status?.state === 'disabled') {
    return notSetUp(warning('source', `${name} is switched off`));
  }
  if (status?.state === 'needs_login') {
    const fix = `Log in: toolcrib sources login ${name}`;
    return notSetUp(warning('source', `${name} needs a login`, fix));
  }
  try {
    await deps.testSource(name);
    return ok('source', `${name}: ${status?.tools ?? 0} tools, its definitions can be read`);
  } catch (error) {
    const fix = adviceOf(error) ?? `Read it again: toolcrib sources refresh ${name}`;
    return broken('source', `${name}: ${reasonOf(error)}`, fix);
  }
};

type PartCheck = (deps: HealthDeps, name: string) => Promise<HealthCheck>;

export const PART_CHECKS: Readonly<Record<Exclude<HealthKind, 'tool'>, PartCheck>> = {
  store: checkStore,
  queue: checkQueue,
  model: checkModel,
  sandbox: checkSandbox,
  server: checkServer,
  source: checkSource,
};
