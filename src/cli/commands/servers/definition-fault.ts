/** What our configuration does not allow about a server, before anything is written. Quotes no value. */

import { configShape } from '../../../config/document/read-config-shape.ts';
import { layerProblems } from '../../../config/load/resolve-layers.ts';
import type { ServerDefinition } from '../../../config/mcp-import/foreign-server.ts';
import { mcpSection } from '../../../config/sections/sources/mcp.ts';

/** A definition in one layer may be part of a whole; this one has to stand by itself. */
const wholeFault = (servers: Readonly<Record<string, unknown>>): string | undefined =>
  mcpSection.safeParse({ servers }).error?.issues[0]?.message;

export const definitionFault = (name: string, definition: ServerDefinition): string | undefined => {
  const servers = JSON.parse(JSON.stringify({ [name]: definition })) as Record<string, unknown>;
  const [problem] = layerProblems(
    { path: '', value: { mcp: { servers } }, position: () => undefined },
    configShape(),
  );
  if (!problem) return wholeFault(servers);
  const at = problem.path.split('.').slice(3).join('.');
  return `${at === '' ? '' : `${at}: `}${problem.message}`;
};
