/** Implements `Servers` for a crib without MCP servers. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Servers } from '../../contract/servers.ts';

const unknown = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'No MCP server is configured.', {
    suggestions: ['Add one with: toolcrib servers add <name> -- <command>'],
  });

export const NO_SERVERS: Servers = {
  list: () => [],
  test: () => Promise.reject(unknown()),
  logs: () => {
    throw unknown();
  },
  restart: () => Promise.reject(unknown()),
  resources: async () => [],
  readResource: () => Promise.reject(unknown()),
  templates: async () => [],
  complete: () => Promise.reject(unknown()),
  subscribe: () => Promise.reject(unknown()),
  watch: () => () => undefined,
  prompts: async () => [],
  getPrompt: () => Promise.reject(unknown()),
};
