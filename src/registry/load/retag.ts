/** Gives a tool another name or source without touching the original, whose methods stay bound to it. */
import type { Tool } from '../../contract/tool.ts';

const METHODS = ['run', 'undo', 'initialize', 'cleanup', 'healthCheck', 'handleError'] as const;

export const retag = (tool: Tool, tags: Pick<Tool, 'name' | 'source'>): Tool => {
  const copy = { ...tool, ...tags };
  for (const method of METHODS) {
    const run: unknown = tool[method];
    // A class keeps its methods on the prototype and may use private fields in them.
    if (typeof run === 'function') Object.assign(copy, { [method]: run.bind(tool) });
  }
  return copy;
};
