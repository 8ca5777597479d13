/** Works something out once per tool. The same tool is often called many times in a row. */
import type { Tool } from '../contract/tool.ts';

export const perTool = <T>(make: (tool: Tool) => T): ((tool: Tool) => T) => {
  const known = new WeakMap<Tool, { readonly value: T }>();
  let lastTool: Tool | undefined;
  let last: T | undefined;
  return (tool) => {
    if (tool === lastTool) return last as T;
    let entry = known.get(tool);
    if (!entry) {
      entry = { value: make(tool) };
      known.set(tool, entry);
    }
    lastTool = tool;
    last = entry.value;
    return entry.value;
  };
};
