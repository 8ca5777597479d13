/** The settings of one tool in the block `tools`, where global settings stand beside them. */
import { GLOBAL_TOOL_SETTINGS } from './global-tool-settings.ts';
import type { Config } from './schema.ts';

type OneTool = Exclude<Config['tools'][string], boolean | number>;

/** What the configuration says of a tool; nothing where it says nothing. Enforced is stronger than off. */
export const isToolEnabled = (
  { tools, enforcement }: Pick<Config, 'tools' | 'enforcement'>,
  name: string,
): boolean | undefined =>
  enforcement.enforcedTools.includes(name) ? true : toolSettingsOf(tools, name)?.enabled;

/** If there are any. Looks at own keys only: `constructor` is no tool. */
export const toolSettingsOf = (tools: Config['tools'], name: string): OneTool | undefined =>
  Object.hasOwn(tools, name) && !(GLOBAL_TOOL_SETTINGS as readonly string[]).includes(name)
    ? (tools[name] as OneTool)
    : undefined;
