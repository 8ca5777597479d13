/** The rule for names of tools. Flows are named alike. */
export const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

/** Tells whether a tool can have this name. */
export const isToolName = (name: unknown): name is string =>
  typeof name === 'string' && TOOL_NAME.test(name);
