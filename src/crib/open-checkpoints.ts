/** Makes the automatic checkpoints of `audit.checkpoints`. Loaded only where it is set. */
import type { Config } from '../config/schema.ts';
import type { AuditCheckpoint } from '../contract/audit.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Store } from '../contract/store.ts';
import { AutoCheckpoints } from '../governance/audit/auto-checkpoints.ts';
import { rememberCheckpoint } from '../governance/audit/checkpoint-book.ts';
import { createEgress } from '../governance/egress/create-egress.ts';
import { auditService } from './audit-files.ts';

export interface CheckpointsDeps {
  readonly config: Pick<Config, 'audit' | 'egress'>;
  /** The user's configuration folder: its key signs. */
  readonly folder: string;
  readonly runtime: Runtime;
}

const SEND_MS = 10_000;

const isAddress = (to: string): boolean => /^https?:\/\//i.test(to);

/** Sends a checkpoint through the egress guard: private addresses must be allowed. */
const sender = (to: string, { egress }: Pick<Config, 'egress'>) => {
  const guard = createEgress({ ...egress, maxResponseBytes: 65_536 });
  return async (note: AuditCheckpoint): Promise<void> => {
    const scope = {
      hosts: [new URL(to).hostname],
      signal: () => AbortSignal.timeout(SEND_MS),
      onHop: () => undefined,
    };
    const headers = { 'content-type': 'application/json' };
    const body = `${JSON.stringify(note)}\n`;
    const response = await guard.fetch(to, { method: 'POST', headers, body, scope });
    await response.body?.cancel();
    if (response.ok) return;
    throw new ToolFailure('NETWORK', `The address answered with status ${response.status}.`);
  };
};

export const openCheckpoints = (
  store: Store,
  { config, folder, runtime }: CheckpointsDeps,
): AutoCheckpoints | undefined => {
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
    deliver: isAddress(to) ? sender(to, config) : (note) => rememberCheckpoint(to, note),
  });
};
