/** `toolcrib add team`: joins the catalog of a team, which is not a source of the configuration. */
import { type JoinOptions, joinTeam, withJoinOptions } from '../team/team-join.ts';
import type { AddInstaller } from './add-kind.ts';

/** The same as `team join`. */
export const addTeam: AddInstaller = {
  kind: 'team',
  summary: 'the catalog of a team: reviewed tools and rules',
  address: 'the server that publishes the catalog',
  examples: [
    'toolcrib add team https://tools.example.com --dry-run',
    'toolcrib add team https://tools.example.com --key 1f0c:…',
  ],
  // Never guessed: any address could be a team's.
  recognises: () => false,
  options: withJoinOptions,
  install: (io, { source, options }) => joinTeam(io, source, options as JoinOptions),
};
