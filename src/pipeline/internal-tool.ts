/**
 * Defines tools of the crib itself. They pass every gate like other tools, but cannot be called by name:
 * the engine hands the tool to the call that it starts. The engine decides what such a tool may do, by
 * the caller and never by the input.
 */
import type { ReadyTool } from '../contract/call.ts';
import type { Labels } from '../contract/result.ts';
import type { Schema } from '../contract/schema.ts';
import { defineTool, isReservedName, type Tool, type ToolDefinition } from '../contract/tool.ts';

export interface InternalToolOptions<I> {
  readonly input: Schema<I>;
  readonly labels: Labels;
  /** A person is asked about every call, whatever the rules allow; a rule that denies still denies. */
  readonly alwaysAsks?: true;
}

/** Throws on a name that is not reserved: a tool from outside could take it, and its records. */
export const defineInternalTool = <I, O>(
  definition: Omit<ToolDefinition<I, O>, 'input' | 'source'>,
  { input, labels, alwaysAsks }: InternalToolOptions<I>,
): ReadyTool => {
  if (!isReservedName(definition.name)) {
    throw new TypeError(`The name of an internal tool is not reserved: ${definition.name}.`);
  }
  const tool = defineTool<I, O>({
    ...definition,
    source: 'builtin',
    input: input.json,
  } as ToolDefinition<I, O>);
  return {
    tool: tool as Tool,
    input,
    output: undefined,
    labels,
    deprecated: false,
    enabled: true,
    ...(alwaysAsks && { alwaysAsks }),
    initialize: () => undefined,
  };
};
