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
    description: tool.description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(tool),
  };
  return { definition, losses };
};

const annotationsOf = (tool: Tool) => {
  const readOnly = tool.tier === 'read_only';
  const hosts = tool.needs?.hosts ?? [];
  return {
    readOnlyHint: readOnly,
    destructiveHint: !readOnly && tool.capabilities.some(({ destructive }) => destructive === true),
    idempotentHint: tool.idempotent ?? readOnly,
    openWorldHint: tool.tier === 'external_api' || hosts.length > 0,
  };
};
