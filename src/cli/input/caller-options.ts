/** The options that choose the caller, and the arguments that repeat them. */
import type { Command } from 'commander';
import { type Caller, LOCAL_CALLER } from '../../contract/caller.ts';
import { compact } from '../../kit/data/compact.ts';
import { collect } from '../command-actions.ts';
import { shellQuote } from '../output/format-units.ts';

export interface CallerOptions {
  readonly user?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly role?: readonly string[];
}

export const withCaller = (command: Command): Command =>
  command
    .option('--user <id>', 'as this user')
    .option('--agent <id>', 'as this agent')
    .option('--session <id>', 'in this session')
    .option(
      '--role <role>',
      'in this role, with no permissions but those of roles and grants; can be repeated',
      collect,
    );

/** Builds the caller. A role other than the owner's gets none of the owner's permissions. */
export const callerFrom = ({ user, agent, session, role }: CallerOptions): Partial<Caller> => ({
  ...compact({ userId: user, agentId: agent, sessionId: session, roles: role }),
  ...(role !== undefined && !role.includes('owner') && { permissions: [] }),
});

/** Writes the arguments that `withCaller` reads as this caller; none for the local owner. */
export const callerArguments = (caller: Partial<Caller>): readonly string[] => {
  const { userId, agentId, sessionId, roles } = { ...LOCAL_CALLER, ...caller };
  const ids = [
    ['--user', userId, LOCAL_CALLER.userId],
    ['--agent', agentId, LOCAL_CALLER.agentId],
    ['--session', sessionId, LOCAL_CALLER.sessionId],
  ] as const;
  const isOwner = roles.join() === LOCAL_CALLER.roles.join();
  return [
    ...ids
      .filter(([, value, byDefault]) => value !== byDefault)
      .flatMap(([option, value]) => [option, shellQuote(value)]),
    ...(isOwner ? [] : roles.flatMap((role) => ['--role', shellQuote(role)])),
  ];
};
