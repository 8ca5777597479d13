/** Tools as an MCP server lists them. JSON Schema goes through as it is, where every client can take it. */
import type { Tool } from '../../contract/tool.ts';
import type { Defined, Loss, Shown } from './definition.ts';
import { listedInput, listedOutput } from './listed-schema.ts';

export const mcpTool = ({ tool, wireName, input, output }: Shown): Defined => {
  const losses: Loss[] = [];
  const inputSchema = listedInput(input, losses);
  if (inputSchema === undefined) return { losses: [...losses, { path: '', lost: 'type' }] };
  const outputSchema = output && listedOutput(output);
  if (output && !outputSchema) losses.push({ path: '', lost: 'outputSchema' });
  const definition = {
    name: wireName,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(tool),
  };
  return { definition, losses };
};

/** What a tool that runs programs or calls other tools will do cannot be told beforehand. */
const runsAnything = ({ tier, needs, capabilities, callsTools }: Tool): boolean =>
  tier === 'execute' ||
  callsTools === true ||
  (needs?.commands?.length ?? 0) > 0 ||
  capabilities.some((each) => each.tier === 'execute');

const canWrite = ({ tier, needs, capabilities, effects = [] }: Tool): boolean =>
  tier !== 'read_only' ||
  effects.length > 0 ||
  (needs?.paths ?? []).some(({ access }) => access === 'write') ||
  capabilities.some((each) => each.destructive || (each.tier ?? 'read_only') !== 'read_only');

/** Whether it can overwrite or delete; of a tool that does not ship nobody here knows. */
const canDestroy = (tool: Tool): boolean =>
  tool.source !== 'builtin' ||
  (tool.needs?.paths ?? []).some(({ access }) => access === 'write') ||
  tool.capabilities.some(({ destructive }) => destructive === true);

/**
 * Tells clients the worst a tool can do, by its tier, its reach and all its capabilities: a client may
 * skip its own question for what is said to be harmless.
 */
const annotationsOf = (tool: Tool) => {
  const anything = runsAnything(tool);
  const readOnly = !anything && !canWrite(tool);
  const hosts = tool.needs?.hosts ?? [];
  const external =
    tool.tier === 'external_api' || tool.capabilities.some(({ tier }) => tier === 'external_api');
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && (anything || canDestroy(tool)),
    idempotentHint: readOnly || (tool.idempotent === true && !anything),
    openWorldHint: anything || external || hosts.length > 0 || tool.assigned?.sink === true,
  };
};
