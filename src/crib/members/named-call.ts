/** Turns a `Tool` argument into a call by name: only registered tools run. */
import type { CallAs } from '../../contract/call-options.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Tool } from '../../contract/tool.ts';
import { optionsFault } from '../../pipeline/request-fault.ts';

interface NamedCall {
  readonly toolName: string;
  readonly as: CallAs | undefined;
}

/**
 * Reads name and version of a tool; the registered tool of that version runs, never the object itself. A
 * value that is no tool is passed on, because the pipeline refuses and records it. Faulty options are
 * passed on as they are: a copy would lack inherited fields, such as the caller.
 */
export const namedCall = (tool: string | Tool, as: CallAs | undefined): NamedCall => {
  if (typeof tool !== 'object' || tool === null) return { toolName: tool as string, as };
  try {
    const { name, version } = tool;
    return typeof version === 'string' && optionsFault(as) === undefined
      ? { toolName: name, as: { ...as, version } }
      : { toolName: name, as };
  } catch {
    return { toolName: undefined as unknown as string, as };
  }
};

/** Adds what to do when the tool that was passed is not registered. */
export const explainMissing = async (calling: Promise<ToolResult>): Promise<ToolResult> => {
  const result = await calling;
  if (result.status !== 'failure' && result.status !== 'denied') return result;
  if (result.error.code !== 'TOOL_NOT_FOUND') return result;
  const suggestions = [
    'Register it first: crib.tools.register(tool), or createCrib({ tools: [tool] }).',
  ];
  return { ...result, error: { ...result.error, suggestions } };
};
