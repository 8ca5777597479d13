/** Compares the tools of two readings of a source. */
import type { SourceChange } from '../../contract/sources.ts';
import type { Tool } from '../../contract/tool.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';

/** What a model or a person reads of a tool, and what decides how it is governed. */
const digestOfTool = ({ description, documentation, tier, input, output, needs }: Tool): string =>
  digestOf([description, documentation, tier, made(input), made(output), needs]);

/** Makes a schema that is made when it is first needed. */
const made = (schema: Tool['output']): unknown =>
  typeof schema === 'function' ? schema() : schema;

export const changedTools = (before: readonly Tool[], after: readonly Tool[]): SourceChange => {
  const old = new Map(before.map((tool) => [tool.name, digestOfTool(tool)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: after.flatMap((tool) => {
      const digest = old.get(tool.name);
      return digest !== undefined && digest !== digestOfTool(tool) ? [tool.name] : [];
    }),
  };
};
