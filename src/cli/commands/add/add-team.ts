/** `toolcrib add team`: joins the catalog of a team. It is no source of the configuration's own. */
import { misuse } from '../../input/misuse.ts';
import { type JoinOptions, joinTeam } from '../team/team-join.ts';
import type { AddInstaller } from './add-kind.ts';

/** The same as `team join`. */
export const addTeam: AddInstaller = {
  kind: 'team',
  summary: 'the catalog of a team: reviewed tools and rules',
  address: 'the server that publishes the catalog',
  examples: ['toolcrib add team https://tools.example.com --key 1f0c:…'],
  // Any address could be one.
  recognises: () => false,
  options: (command) =>
    command
      .option('--key <fingerprint>', 'the key of the team, as its people gave it to you')
      .option('--accept-tools', 'accept all tools that the team publishes, now and later'),
  install: (io, { source, options }) => {
    if (options.dryRun === true) {
      throw misuse('--dry-run is not for teams.', 'Join, then look: toolcrib team status');
    }
    return joinTeam(io, source, options as JoinOptions);
  },
};
