/** Turns a tool that is handed over into a call by name: what runs is what is registered. */
import type { CallAs } from '../../contract/call-options.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Tool } from '../../contract/tool.ts';

interface NamedCall {
  readonly toolName: string;
  readonly as: CallAs | undefined;
}

/**
 * Reads name and version of a tool; the version that is registered under that number runs, never the
 * object itself. What is no tool is left as it is: the pipeline refuses it and records that.
 */
export const namedCall = (tool: string | Tool, as: CallAs | undefined): NamedCall => {
  const isOptions = as === undefined || (typeof as === 'object' && as !== null);
  if (typeof tool !== 'object' || tool === null || !isOptions) {
    return { toolName: tool as string, as };
  }
  try {
    const { name, version } = tool;
    return typeof version === 'string'
      ? { toolName: name, as: { ...as, version } }
      : { toolName: name, as };
  } catch {
    return { toolName: undefined as unknown as string, as };
  }
};

/** Says what to do about a tool that was handed over and is not registered. */
export const explainMissing = async (calling: Promise<ToolResult>): Promise<ToolResult> => {
  const result = await calling;
  if (result.status !== 'failure' && result.status !== 'denied') return result;
  if (result.error.code !== 'TOOL_NOT_FOUND') return result;
  const suggestions = [
    'Register it first: crib.tools.register(tool), or createCrib({ tools: [tool] }).',
  ];
  return { ...result, error: { ...result.error, suggestions } };
};
