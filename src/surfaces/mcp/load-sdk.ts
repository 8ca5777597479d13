/** The MCP library, loaded when a surface is opened and not before. */
import type * as Library from '@modelcontextprotocol/server';

export type Sdk = typeof Library;

export const loadSdk = (): Promise<Sdk> => import('@modelcontextprotocol/server');
