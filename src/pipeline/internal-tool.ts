/**
 * Defines tools of the crib itself. They pass every gate like other tools, but cannot be called by name:
 * the engine hands the tool to the call that it starts. The engine decides what such a tool may do, by
 * the caller and never by the input.
 */
import type { ReadyTool } from '../contract/call.ts';
import { defineTool } from '../contract/define-tool.ts';
import type { Labels } from '../contract/result.ts';
import type { Schema } from '../contract/schema.ts';
import type { Tool, ToolDefinition } from '../contract/tool.ts';

export interface InternalToolOptions<I> {
  readonly input: Schema<I>;
  readonly labels: Labels;
  /** A person is asked about every call, whatever the rules allow; a rule that denies still denies. */
  readonly alwaysAsks?: true;
  /** The call is refused where a person would have to be asked. */
  readonly neverAsks?: true;
  /** What a caller's list of tools has to name; every list has the tool when absent. */
  readonly listedAs?: string;
}

/** Reads servers beside their tools. */
export const SERVER_TOOL = 'toolcrib:server';
/** Stands for the start of a flow where that is refused. */
export const FLOW_TOOL = 'toolcrib:flow';

/** All tools of the crib itself, as rules and records name them. */
export const INTERNAL_TOOLS: readonly string[] = [
  'toolcrib:undo',
  'toolcrib:confirm',
  'toolcrib:plan',
  SERVER_TOOL,
  FLOW_TOOL,
];

/** Throws on another name: it may not be reserved, and a tool from outside could take it, and its records. */
export const defineInternalTool = <I, O>(
  definition: Omit<ToolDefinition<I, O>, 'input' | 'source'>,
  { input, labels, ...options }: InternalToolOptions<I>,
): ReadyTool => {
  if (!INTERNAL_TOOLS.includes(definition.name)) {
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
    ...options,
    initialize: () => undefined,
  };
};
