/** The keys of the block `tools` that are settings; every other key is the name of a tool. */
export const GLOBAL_TOOL_SETTINGS = [
  'showTokenCosts',
  'autoLoadCustomTools',
  'maxExecutionTime',
] as const;

/** The schema is held to this list. */
export type GlobalToolSetting = (typeof GLOBAL_TOOL_SETTINGS)[number];
