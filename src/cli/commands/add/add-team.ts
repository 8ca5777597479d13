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
  // Not by the text: any address could be a team's. Asking there tells.
  recognises: () => false,
  options: withJoinOptions,
  install: (io, { source, options }) => joinTeam(io, source, options as JoinOptions),
};
