/** Tools as an MCP server lists them. JSON Schema goes through as it is; only the root must be an object. */
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Defined, Loss, Shown } from './definition.ts';

export const mcpTool = ({ tool, wireName, input, output }: Shown): Defined => {
  const losses: Loss[] = [];
  const inputSchema = asObject(input);
  if (inputSchema === undefined) return { losses: [{ path: '', lost: 'type' }] };
  const outputSchema = output && asObject(output);
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

const asObject = (schema: JsonSchema): JsonSchema | undefined => {
  if (schema.type === undefined) return { type: 'object', ...schema };
  return schema.type === 'object' ? schema : undefined;
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
