/** Delivers the automatic checkpoints of `audit.checkpoints`. Loaded only when they are configured. */
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import type { AuditCheckpoint } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { Store } from '../../contract/store.ts';
import {
  AutoCheckpoints,
  type AutoCheckpointsDeps,
} from '../../governance/audit/auto-checkpoints.ts';
import { rememberCheckpoint } from '../../governance/audit/checkpoint-book.ts';
import { createEgress } from '../../governance/egress/create-egress.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { createSecretChain } from '../../secrets/chain.ts';
import { openSecrets } from '../open-secrets.ts';
import { postJson } from '../sources/post-json.ts';
import { auditService } from './audit-files.ts';
import { deliverToStore, storePathOf } from './checkpoint-store.ts';

export interface CheckpointsDeps {
  readonly config: Pick<Config, 'audit' | 'egress' | 'secrets'>;
  /** The user's configuration folder: its key signs. */
  readonly folder: string;
  readonly runtime: Runtime;
  /** Replaces the sources of secrets that the configuration names. */
  readonly secrets?: Secrets | undefined;
  readonly redactor: Pick<Redactor, 'learn'>;
}

const SEND_MS = 10_000;

const isAddress = (to: string): boolean => /^https?:\/\//i.test(to);

/** Reads the secret for each delivery, so that a new value is used at once. */
const authorization = async (
  key: string,
  { config, folder, secrets, redactor }: CheckpointsDeps,
): Promise<string> => {
  const env = readEnvironment();
  const sources = secrets ? [secrets] : openSecrets({ config, env, home: folder });
  const value = (await createSecretChain(sources).get(key))?.trim() ?? '';
  const suggestions = [`Keep it in one line: toolcrib secrets set ${key}`];
  if (value === '')
    throw new ToolFailure('AUTH_MISSING', `There is no secret ${key}.`, { suggestions });
  redactor.learn(value);
  // `Headers` refuses it as well, with the value in its message.
  if (!/^[\x20-\x7e]+$/.test(value)) {
    const message = `The secret ${key} cannot be sent in a header.`;
    throw new ToolFailure('AUTH_MISSING', message, { suggestions });
  }
  return `Bearer ${value}`;
};

/** Makes the delivery by POST, through the egress guard. */
const deliverToAddress = (to: string, deps: CheckpointsDeps): AutoCheckpointsDeps['deliver'] => {
  const { audit, egress } = deps.config;
  const { secret } = audit.checkpoints;
  const guard = createEgress({ ...egress, maxResponseBytes: 65_536 });
  return async (checkpoint: AuditCheckpoint): Promise<void> =>
    postJson(guard, new URL(to), {
      body: `${JSON.stringify(checkpoint)}\n`,
      headers: secret === undefined ? {} : { authorization: await authorization(secret, deps) },
      timeoutMs: SEND_MS,
      receiver: 'The address',
    });
};

const deliveryTo = (
  to: string,
  store: Store,
  deps: CheckpointsDeps,
): AutoCheckpointsDeps['deliver'] => {
  if (isAddress(to)) return deliverToAddress(to, deps);
  const path = storePathOf(to);
  return path === undefined
    ? (checkpoint) => rememberCheckpoint(to, checkpoint)
    : deliverToStore(path, store, deps.runtime);
};

export const openCheckpoints = (
  store: Store,
  deps: CheckpointsDeps,
): AutoCheckpoints | undefined => {
  const { config, folder, runtime } = deps;
  const { to, every, minutes } = config.audit.checkpoints;
  const audits = auditService(folder);
  if (to === undefined || !audits.outlasts(store)) return undefined;
  return new AutoCheckpoints({
    store,
    runtime,
    every,
    minutes,
    recall: () => audits.recall(store),
    sign: () => audits.checkpoint(store, runtime.now()),
    deliver: deliveryTo(to, store, deps),
  });
};
