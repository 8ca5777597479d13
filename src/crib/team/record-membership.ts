/** Puts joining and leaving a team on the audit trail, with who did it and when. */
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { Store } from '../../contract/store.ts';
import { auditEvent } from '../../governance/audit/audit-event.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { openStore } from '../store/open-store.ts';
import { openUserKey } from '../user-folder.ts';
import type { MembershipDeps } from './team-membership.ts';

export interface RecordMembershipDeps extends MembershipDeps {
  /** The project, absolute: its trail, or the user's, is the one that calls are recorded in. */
  readonly project: string;
  /** A store that is open already; another one is opened and closed. */
  readonly store?: Pick<Store, 'audit'> | undefined;
}

export interface MembershipEvent {
  readonly event: 'team_join' | 'team_leave';
  /** The name of the person at this machine. */
  readonly person: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * Records joining or leaving. Rejects where the trail cannot be written: then neither takes place.
 */
export const recordMembership = async (
  { store, config, runtime, home, project }: RecordMembershipDeps,
  { event, person, detail }: MembershipEvent,
): Promise<void> => {
  const row = auditEvent(
    { tool: event, at: runtime.now(), detail: { ...detail, person } },
    LOCAL_CALLER,
  );
  if (store) return store.audit.append(row);
  const signingKey = lazyAsync(() => openUserKey(home));
  // No crib is opened: a tampered record of the team must not keep the user from leaving.
  const opened = await openStore(undefined, {
    config,
    project,
    userDir: home,
    runtime,
    signingKey,
  });
  try {
    await opened.audit.append(row);
  } finally {
    await opened.close();
  }
};
