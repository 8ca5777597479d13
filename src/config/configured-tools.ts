/** The tools that the configuration names: their settings, and names that no tool has. */
import { didYouMean, nearestName } from '../kit/text/did-you-mean.ts';
import { GLOBAL_TOOL_SETTINGS } from './global-tool-settings.ts';
import type { Config } from './schema.ts';

export interface KnownTools {
  /** Tells whether a tool has this name or alias. */
  has(name: string): boolean;
  /** All names, for suggestions. */
  readonly names: readonly string[];
  /** Other tools may come later, e.g. from servers that have not been started yet. */
  readonly mayGrow: boolean;
}

const isSetting = (key: string): boolean =>
  (GLOBAL_TOOL_SETTINGS as readonly string[]).includes(key);

/** Lists each path where a tool is named, with the name. */
const namedTools = ({
  tools,
  enforcement,
  budget,
}: Config): readonly (readonly [string, string])[] => [
  ...Object.keys(tools)
    .filter((key) => !isSetting(key))
    .map((name) => [`tools.${name}`, name] as const),
  ...enforcement.enforcedTools.map((name) => ['enforcement.enforcedTools', name] as const),
  ...Object.keys(budget.perTool).map((name) => [`budget.perTool.${name}`, name] as const),
];

/**
 * Writes a sentence for each name that no tool has; most are typing errors and have no effect. Where
 * tools may come later, only names that are close to that of a tool are reported.
 */
export const unknownTools = (config: Config, tools: KnownTools): readonly string[] => {
  const suggestions = [...tools.names, ...GLOBAL_TOOL_SETTINGS];
  return namedTools(config)
    .filter(([, name]) => !tools.has(name))
    .filter(([, name]) => !tools.mayGrow || nearestName(name, suggestions) !== undefined)
    .map(([path, name]) => {
      const what = `${path} has no effect: there is no tool named ${name}`;
      return `${what}${didYouMean(name, suggestions) || '.'}`;
    });
};

type OneTool = Exclude<Config['tools'][string], boolean | number>;

/** Maps the tools that the configuration switches on or off. Enforced is stronger than off. */
export const toolSwitches = ({
  tools,
  enforcement,
}: Pick<Config, 'tools' | 'enforcement'>): ReadonlyMap<string, boolean> => {
  const switches = new Map<string, boolean>();
  for (const name of Object.keys(tools)) {
    const enabled = toolSettingsOf(tools, name)?.enabled;
    if (enabled !== undefined) switches.set(name, enabled);
  }
  for (const name of enforcement.enforcedTools) switches.set(name, true);
  return switches;
};

/** Gives the settings of a tool, if any. Reads own keys only: `constructor` is no tool. */
export const toolSettingsOf = (tools: Config['tools'], name: string): OneTool | undefined =>
  Object.hasOwn(tools, name) && !isSetting(name) ? (tools[name] as OneTool) : undefined;
