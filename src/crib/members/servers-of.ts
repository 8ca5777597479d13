/** `crib.servers`: the MCP servers, whose circuits close again when they are started anew. */
import type { Events } from '../../contract/events.ts';
import type { Servers } from '../../contract/servers.ts';
import type { MemberDeps } from './member-deps.ts';
import { serverReads } from './server-reads.ts';

export interface ServerMemberDeps extends Pick<MemberDeps, 'engine' | 'open'> {
  readonly servers: Servers;
  readonly events: Pick<Events, 'emit'>;
}

export const serversOf = ({ servers, events, engine, open }: ServerMemberDeps): Servers => {
  /** Closes the circuits: the breaker counted failures of a process that has ended. */
  const reset = (name: string): void => {
    const server = `mcp:${name}`;
    const { tools = [], serverTool } = engine()?.shared.resetServer(server) ?? {};
    for (const tool of tools) events.emit('circuit.closed', { tool });
    if (serverTool !== undefined) events.emit('circuit.closed', { tool: serverTool, server });
  };
  return {
    ...servers,
    ...serverReads({ servers, open }),
    restart: async (name) => {
      const status = await servers.restart(name);
      reset(name);
      return status;
    },
    connect: async (server) => {
      const status = await servers.connect(server);
      reset(server.name);
      return status;
    },
  };
};
