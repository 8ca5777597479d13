/**
 * Tools for Mastra: `new Agent({ tools: await forMastra(crib) })`. They are made with `createTool` of
 * version 1 of `@mastra/core`; progress of a call goes to the stream of the agent.
 */
import type { Crib } from '../contract/crib.ts';
import type { JsonSchema } from '../contract/schema.ts';
import type { MastraContext, MastraTool, ToolSetOptions } from '../contract/tool-sets.ts';
import { loadFramework } from './load-framework.ts';
import { modelOutputOf } from './replies.ts';
import type { ShownTool } from './shown-tools.ts';
import { openToolSet, type ToolSet } from './tool-set.ts';

/** The part of `@mastra/core/tools` that is used. */
interface Mastra {
  createTool(options: object): MastraTool;
}

const loadMastra = async (): Promise<Mastra> => {
  const loaded: unknown = await loadFramework('@mastra/core', () => import('@mastra/core/tools'));
  return loaded as Mastra;
};

/** Sends a part for user interfaces; a stream that is closed must not fail the call. */
const sendProgress = (writer: MastraContext['writer'], data: object): void => {
  writer?.custom?.({ type: 'data-tool-progress', data }).catch(() => undefined);
};

/**
 * Makes the schema for the model, in the form of Standard Schema, with a check that accepts
 * everything: the pipeline judges the input and records what is wrong with it.
 */
const openSchema = (schema: JsonSchema) => ({
  '~standard': {
    version: 1,
    vendor: 'toolcrib',
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});

const toolOf = (set: ToolSet, shown: ShownTool, { createTool }: Mastra): MastraTool => {
  const { name, description, schema } = shown;
  const execute: MastraTool['execute'] = (input, { abortSignal, agent, writer } = {}) => {
    const toolCallId = agent?.toolCallId;
    return set.call({
      name,
      input,
      callId: toolCallId,
      signal: abortSignal,
      onProgress: (fraction, note) =>
        sendProgress(writer, { toolCallId, tool: name, fraction, note }),
    });
  };
  const tool = createTool({
    id: name,
    description,
    inputSchema: openSchema(schema),
    execute,
    toModelOutput: modelOutputOf,
  });
  // Replaces the library's own `execute`, which would wrap refusals and replies once more.
  return Object.assign(tool, { execute });
};

/**
 * Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forMastra } from 'toolcrib/adapters/mastra';
 *
 * const tools = await forMastra(crib, { caller: { userId: 'ada' } });
 * console.log(Object.keys(tools)); // for new Agent({ id, model, tools })
 */
export const forMastra = async (
  crib: Crib,
  options?: ToolSetOptions,
): Promise<Record<string, MastraTool>> => {
  const set = openToolSet(crib, 'anthropic', options);
  const mastra = await loadMastra();
  return Object.fromEntries(set.shown.map((shown) => [shown.name, toolOf(set, shown, mastra)]));
};
