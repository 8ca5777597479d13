/** Implements `Servers` for a crib without MCP servers. */
import { ToolFailure } from '../../contract/errors.ts';
import type { ServerViews } from './server-views.ts';

export const noServer = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'No MCP server is configured.', {
    suggestions: ['Add one with: toolcrib servers add <name> -- <command>'],
  });

export const NO_SERVERS: ServerViews = {
  list: () => [],
  test: () => Promise.reject(noServer()),
  logs: () => {
    throw noServer();
  },
  restart: () => Promise.reject(noServer()),
  request: () => Promise.reject(noServer()),
  timeoutMs: () => {
    throw noServer();
  },
  resources: async () => [],
  readResource: () => Promise.reject(noServer()),
  templates: async () => [],
  complete: () => Promise.reject(noServer()),
  subscribe: () => Promise.reject(noServer()),
  watch: () => () => undefined,
  prompts: async () => [],
  getPrompt: () => Promise.reject(noServer()),
};
