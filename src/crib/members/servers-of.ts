/** `crib.servers`: the MCP servers. Restarting one closes its circuits. */
import type { Events } from '../../contract/events.ts';
import type { Servers } from '../../contract/servers.ts';
import type { ServerConnections } from '../sources/connected-servers.ts';
import type { MemberDeps } from './member-deps.ts';
import { serverReads } from './server-reads.ts';

export interface ServerMemberDeps extends Pick<MemberDeps, 'engine' | 'open'> {
  readonly servers: ServerConnections;
  readonly events: Pick<Events, 'emit'>;
}

export const serversOf = ({ servers, events, engine, open }: ServerMemberDeps): Servers => {
  /** Closes the circuits of a restarted server: they counted failures of the process before. */
  const reset = (name: string): void => {
    const server = `mcp:${name}`;
    const { tools = [], serverTool } = engine()?.shared.resetServer(server) ?? {};
    for (const tool of tools) events.emit('circuit.closed', { tool });
    if (serverTool !== undefined) events.emit('circuit.closed', { tool: serverTool, server });
  };
  const { timeoutMs: _, ...views } = servers;
  return {
    ...views,
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
