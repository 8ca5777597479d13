/** What the commands of `toolcrib team` share: the catalog, local or on a server, and how it is shown. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { type CallerNames, LOCAL_CALLER } from '../../../contract/caller.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { TeamCatalog, TeamChange, TeamProposal } from '../../../contract/team.ts';
import type { MembershipDeps } from '../../../crib/team/team-membership.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type LoadedConfig, loadConfig } from '../../../trust/load-config.ts';
import { byStart } from '../../input/by-start.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';

export interface ServerOptions {
  readonly server?: string;
}

export const withServer = (command: Command): Command =>
  command.option('--server <url>', 'the server of the catalog; your own, or that of your team');

export interface Membership extends MembershipDeps {
  readonly loaded: LoadedConfig;
  /** The user's own configuration. */
  readonly file: string;
}

export const membershipOf = async (io: Io): Promise<Membership> => {
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const { config, userDir: home, sources } = loaded;
  const own = sources.find(({ kind }) => kind === 'user')?.path;
  const { runtime, env } = io;
  return { loaded, config, home, runtime, env, file: own ?? join(home, 'config.yml') };
};

/** The person at this machine, under the same name as in the console of this machine. */
export const LOCAL: CallerNames = LOCAL_CALLER;

/** Runs work with a catalog: that of `--server`, else of this machine, else of the team. */
export const withCatalog = async <T>(
  io: Io,
  { server }: ServerOptions,
  work: (catalog: TeamCatalog) => Promise<T>,
): Promise<T> => {
  const membership = await membershipOf(io);
  const { config } = membership;
  if (server === undefined && config.server.catalog.org !== undefined) {
    return withStore(io, async ({ crib, loaded }) => {
      const { openTeamCatalog } = await import('../../../crib/team/open-team-catalog.ts');
      const { runtime } = io;
      return work(openTeamCatalog({ crib, config: loaded.config, runtime, home: loaded.userDir }));
    });
  }
  const { assertCatalogUrl, currentEnrolment, withRemoteCatalog } = await import(
    '../../../crib/team/team-membership.ts'
  );
  const url = server ?? (await currentEnrolment(membership))?.url;
  if (url !== undefined) return withRemoteCatalog(assertCatalogUrl(url), membership, work);
  throw misuse(
    'There is no catalog here.',
    'Name the server: --server https://tools.example.com',
    'Or publish one from here: set server.catalog.org in your configuration.',
  );
};

/** Finds a proposal by its id or a unique beginning of it. */
export const findProposal = async (catalog: TeamCatalog, typed: string): Promise<TeamProposal> => {
  const all = await catalog.proposals();
  const proposal = all.find(({ id }) => id === typed) ?? byStart(all, typed, ({ id }) => id);
  if (proposal) return proposal;
  throw new ToolFailure('NOT_FOUND', 'There is no proposal of that id.', {
    suggestions: ['See which there are: toolcrib team review'],
  });
};

/** Describes a change in one line. */
export const changeText = (change: TeamChange): string =>
  change.action === 'put'
    ? `put ${change.entry.kind} ${visibleText(change.entry.name)}`
    : `remove ${change.kind} ${visibleText(change.name)}`;

export const entriesText = (count: number): string =>
  count === 1 ? '1 entry' : `${count} entries`;
