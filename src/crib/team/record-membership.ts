/** Records joining and leaving a team in the audit trail, before and after, with who did it and when. */
import { randomUUID } from 'node:crypto';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { Store } from '../../contract/store.ts';
import { RecordedSteps, type StepEnd } from '../../governance/team/recorded-steps.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { openStore } from '../store/open-store.ts';
import { openUserKey } from '../user-folder.ts';
import { hasTeam, type MembershipDeps, recordedTeam } from './team-membership.ts';

export interface RecordMembershipDeps extends MembershipDeps {
  /** The project, absolute: its trail, or the user's, is the one that calls are recorded in. */
  readonly project: string;
  /** A store that is open already; another one is opened and closed. */
  readonly store?: Pick<Store, 'audit'> | undefined;
}

export interface MembershipStep {
  readonly tool: 'team_join' | 'team_leave';
  /** The name of the person at this machine. */
  readonly person: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export type MembershipEnd<T> = StepEnd<T>;

/** Runs the work with the trail open. Rejects when it cannot be written: then nobody joins or leaves. */
export const recordMembership = async <T>(
  deps: RecordMembershipDeps,
  { tool, person, detail }: MembershipStep,
  work: () => Promise<MembershipEnd<T>>,
): Promise<T> => {
  const { store, config, runtime, home, project } = deps;
  const run = ({ audit }: Pick<Store, 'audit'>): Promise<T> =>
    new RecordedSteps({
      audit: async () => audit,
      runtime,
      newId: () => randomUUID(),
      names: ['team_join', 'team_leave'],
      // A recorded member has joined, even if a later step failed.
      isDone: async (started) =>
        started.tool === 'team_join'
          ? (await recordedTeam(deps)) !== undefined
          : !(await hasTeam(deps)),
    }).run({ tool, by: LOCAL_CALLER, detail: { ...detail, person } }, async ({ assertInTime }) => {
      assertInTime();
      return work();
    });
  if (store) return run(store);
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
    return await run(opened);
  } finally {
    await opened.close();
  }
};
