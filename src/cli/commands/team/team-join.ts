/** `toolcrib team join`, `sync`, `status` and `leave`: this user's membership in a team. */
import type { Command } from 'commander';
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { TeamKey, TeamState } from '../../../contract/team.ts';
import type { MembershipEnd, MembershipStep } from '../../../crib/team/record-membership.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { canAsk, confirm, noTerminal } from '../../input/confirm.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { localPerson } from '../../session/local-person.ts';
import { entriesText, type Membership, membershipOf } from './team-access.ts';

export interface JoinOptions {
  readonly key?: string;
  readonly acceptTools?: boolean;
  /** Only shows what the bundle would add, without joining. */
  readonly dryRun?: boolean;
}

/** Adds the options that `team join` and `add team` have. */
export const withJoinOptions = (command: Command): Command =>
  command
    .option('--key <fingerprint>', 'the key of the team, as its people gave it to you')
    .option('--accept-tools', 'accept all tools that the team publishes, now and later');

/** Less than the time that a membership step may take. */
const MAX_SYNC_MS = 45_000;

const loadMembership = () => import('../../../crib/team/team-membership.ts');

/** Lets a person compare the key. Where nobody can be asked, only a key named with `--key` is accepted. */
const assertKey = async (io: Io, teamKey: TeamKey, { key }: JoinOptions): Promise<void> => {
  const { isKeyNamed } = await loadMembership();
  const { org, fingerprint } = teamKey;
  if (key !== undefined) {
    if (isKeyNamed(teamKey, key)) return;
    throw new ToolFailure(
      'SECURITY_VIOLATION',
      'The server has a different key from the one you named.',
      {
        suggestions: ['Ask your team for the fingerprint again, over a channel that you trust.'],
      },
    );
  }
  note(io, `The catalog of ${org} is signed with the key`, `  ${fingerprint}`);
  note(io, 'Compare it with the fingerprint that your team gave you over another channel.');
  if (!canAsk(io)) throw noTerminal('Name the fingerprint that your team gave you: --key <it>');
  if (await confirm(io, 'Is it the same?')) return;
  throw new ToolFailure('USER_CANCELLED', 'You did not join.');
};

const assertNoOther = async (membership: Membership, { org, publicKey }: TeamKey) => {
  const { currentEnrolment, recordedTeam } = await loadMembership();
  const current = await currentEnrolment(membership);
  const record = await recordedTeam(membership);
  const isOther = current && (current.org !== org || (!record && current.publicKey !== publicKey));
  if (!isOther) return;
  throw new ToolFailure('CONFLICT', 'You are in a team already.', {
    suggestions: ['Leave it first: toolcrib team leave'],
  });
};

/** Writes the settings one after the other, `enabled` last, so that a half-written file is valid. */
const writeTeam = async (
  file: string,
  { url, org, publicKey }: TeamKey & { readonly url: string },
  { acceptTools }: JoinOptions,
): Promise<void> => {
  await setInConfigFile(file, ['teams', 'url'], url);
  await setInConfigFile(file, ['teams', 'orgId'], org);
  await setInConfigFile(file, ['teams', 'key'], publicKey);
  if (acceptTools) await setInConfigFile(file, ['teams', 'acceptTools'], true);
  await setInConfigFile(file, ['teams', 'enabled'], true);
};

const kindsOf = ({ bundle }: TeamState): string => {
  const counts = new Map<string, number>();
  for (const { kind } of bundle?.entries ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing';
};

/** Runs a membership step and records it, with who took it, in the audit trail of this folder. */
const recorded = async <T>(
  io: Io,
  step: Pick<MembershipStep, 'tool' | 'detail'> & { readonly membership: Membership },
  work: () => Promise<MembershipEnd<T>>,
): Promise<T> => {
  const { recordMembership } = await import('../../../crib/team/record-membership.ts');
  const { membership, tool, detail } = step;
  const project = membership.loaded.projectDir ?? io.cwd;
  const store = io.held && (await io.held.crib.store());
  const person = localPerson();
  return recordMembership({ ...membership, project, store }, { tool, detail, person }, work);
};

export const joinTeam = async (io: Io, address: string, options: JoinOptions): Promise<number> => {
  const membership = await membershipOf(io);
  const { assertCatalogUrl, fetchTeamKey, withTeamClient } = await loadMembership();
  const url = assertCatalogUrl(address);
  const teamKey = await fetchTeamKey(url, membership);
  await assertNoOther(membership, teamKey);
  const { key: named, dryRun } = options;
  if (dryRun !== true || named !== undefined) await assertKey(io, teamKey, options);
  if (dryRun === true) {
    const { showJoin } = await import('./team-preview.ts');
    const typed = [
      '--key',
      named ?? '<fingerprint>',
      ...(options.acceptTools ? ['--accept-tools'] : []),
    ];
    return showJoin(io, membership, { url, key: teamKey, isCompared: named !== undefined, typed });
  }
  const { org, fingerprint } = teamKey;
  const step = { membership, tool: 'team_join' as const, detail: { org, url, fingerprint } };
  const state = await recorded(io, step, async () => {
    const value = await withTeamClient({ url, ...teamKey }, membership, async (client) => {
      await client.sync(AbortSignal.timeout(MAX_SYNC_MS));
      return client.state();
    });
    await writeTeam(membership.file, { ...teamKey, url }, options);
    return { value, detail: { serial: value.bundle?.serial } };
  });
  if (io.json) printJson(io, { org: teamKey.org, url, serial: state.bundle?.serial });
  else {
    printDone(io, `You are in the team ${teamKey.org}: ${kindsOf(state)}.`);
    if (!options.acceptTools) note(io, '  New tools wait for you: toolcrib tools accept');
  }
  return 0;
};

export const teamJoinCommand = (team: Command, io: Io): Command =>
  withExamples(
    withJoinOptions(
      withJson(team.command('join').argument('<url>', 'the server that publishes the catalog')),
    )
      .option('--dry-run', 'only show what it would add; nobody joins')
      .action(leaving(io, (url: string, options: JoinOptions) => joinTeam(io, url, options))),
    'toolcrib team join https://tools.example.com --key 1f0c:…',
  );

const noTeam = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'You are in no team.', {
    suggestions: ['Join one: toolcrib team join <url>'],
  });

const enrolled = async (membership: Membership) => {
  const { currentEnrolment } = await loadMembership();
  const enrolment = await currentEnrolment(membership);
  if (enrolment) return enrolment;
  throw noTeam();
};

const sync = async (io: Io): Promise<number> => {
  const membership = await membershipOf(io);
  const { withTeamClient } = await loadMembership();
  return withTeamClient(await enrolled(membership), membership, async (client) => {
    const changed = await client.sync(AbortSignal.timeout(MAX_SYNC_MS));
    const state = client.state();
    const serial = state.bundle?.serial;
    if (io.json) printJson(io, { org: state.org, serial, changed });
    else if (changed) printDone(io, `Bundle ${serial}: ${kindsOf(state)}.`);
    else print(io, `Bundle ${serial} is the latest.`);
    return 0;
  });
};

export const teamSyncCommand = (team: Command, io: Io): Command =>
  withExamples(
    withJson(team.command('sync')).action(leaving(io, () => sync(io))),
    'toolcrib team sync',
  );

const printState = (io: Io, state: TeamState): void => {
  const { org, url, bundle, fault, fingerprint, isExpired, syncedAt } = state;
  print(io, `${io.ink.bold(org)}  ${visibleText(url)}`, `  key      ${fingerprint}`);
  if (bundle) print(io, `  bundle   ${bundle.serial}, ${entriesText(bundle.entries.length)}`);
  else print(io, `  bundle   ${io.ink.red('none: no call is allowed')}`);
  if (syncedAt !== undefined) print(io, `  synced   ${formatTime(syncedAt)}`);
  if (bundle?.expiresAt !== undefined) {
    const over = isExpired ? io.ink.red(' (expired: its tools are gone, its rules stay)') : '';
    print(io, `  expires  ${formatTime(bundle.expiresAt)}${over}`);
  }
  for (const entry of bundle?.entries ?? []) {
    print(io, `  ${entry.kind.padEnd(8)} ${visibleText(entry.name)}`);
  }
  if (fault !== undefined) print(io, `  ${io.ink.red('fault')}    ${visibleText(fault)}`);
};

const status = async (io: Io): Promise<number> => {
  const membership = await membershipOf(io);
  const { withTeamClient } = await loadMembership();
  return withTeamClient(await enrolled(membership), membership, async (client) => {
    const state = client.state();
    if (io.json) printJson(io, state);
    else printState(io, state);
    return state.bundle ? 0 : 1;
  });
};

export const teamStatusCommand = (team: Command, io: Io): Command =>
  withExamples(
    withJson(team.command('status', { isDefault: true })).action(leaving(io, () => status(io))),
    'toolcrib team status',
  );

const leave = async (io: Io, { yes }: { readonly yes?: boolean }): Promise<number> => {
  const membership = await membershipOf(io);
  const { currentEnrolment, forgetTeam, hasTeam } = await loadMembership();
  if (!(await hasTeam(membership))) throw noTeam();
  if (yes !== true) {
    if (!canAsk(io)) throw noTerminal('Add --yes to leave without being asked.');
    const question = 'Leave the team? Its rules and tools end here.';
    if (!(await confirm(io, question))) {
      throw new ToolFailure('USER_CANCELLED', 'You are still in the team; nothing was changed.');
    }
  }
  const { org, url } = (await currentEnrolment(membership)) ?? {};
  await recorded(io, { membership, tool: 'team_leave', detail: { org, url } }, async () => {
    await setInConfigFile(membership.file, ['teams', 'enabled'], false);
    await forgetTeam(membership);
    return { value: undefined };
  });
  if (io.json) printJson(io, { left: true });
  else printDone(io, 'You have left the team.');
  return 0;
};

export const teamLeaveCommand = (team: Command, io: Io): Command =>
  withExamples(
    withJson(team.command('leave'))
      .option('--yes', 'leave without being asked')
      .action(leaving(io, (options: { readonly yes?: boolean }) => leave(io, options))),
    'toolcrib team leave',
  );
