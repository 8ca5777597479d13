/** Enforces `audit.retentionDays` on an open store. Loaded only when it is set. */
import type { Events } from '../../contract/events.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import { Retention } from '../../governance/audit/retention.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { auditService } from './audit-files.ts';

export interface OpenRetentionDeps {
  readonly days: number;
  /** The user's configuration folder: its key signs the anchor that replaces the rows. */
  readonly folder: string;
  readonly events: Events;
  readonly runtime: Runtime;
}

export const openRetention = (store: Store, deps: OpenRetentionDeps): Retention => {
  const { days, folder, events, runtime } = deps;
  const audits = auditService(folder);
  return new Retention({
    store,
    events,
    runtime,
    keepMs: days * DAY_MS,
    prune: (request) => audits.retain(store, request),
  });
};
