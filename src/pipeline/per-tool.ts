/** Computes a value once per tool; the last tool is remembered, because calls often repeat one. */
import type { Tool } from '../contract/tool.ts';

export const perTool = <T>(make: (tool: Tool) => T): ((tool: Tool) => T) => {
  const values = new WeakMap<Tool, { readonly value: T }>();
  let lastTool: Tool | undefined;
  let last: T | undefined;
  return (tool) => {
    if (tool === lastTool) return last as T;
    let entry = values.get(tool);
    if (!entry) {
      entry = { value: make(tool) };
      values.set(tool, entry);
    }
    lastTool = tool;
    last = entry.value;
    return entry.value;
  };
};
