/** Names of tools in the configuration that no tool has: most are typing errors, and do nothing. */

import { didYouMean, nearestName } from '../kit/text/did-you-mean.ts';
import { GLOBAL_TOOL_SETTINGS } from './global-tool-settings.ts';
import type { Config } from './schema.ts';

export interface KnownTools {
  /** By name or alias. */
  has(name: string): boolean;
  /** All of them, for suggestions. */
  readonly names: readonly string[];
  /** Other tools may come later, e.g. from servers that have not been started yet. */
  readonly mayGrow: boolean;
}

const isSetting = (key: string): boolean =>
  (GLOBAL_TOOL_SETTINGS as readonly string[]).includes(key);

/** Where tools are named, and the names. */
const placesOf = ({
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
 * Gives a sentence for each. Where tools may come later, only names that are nearly those of a tool
 * are told of.
 */
export const unknownTools = (config: Config, known: KnownTools): readonly string[] => {
  const suggestions = [...known.names, ...GLOBAL_TOOL_SETTINGS];
  return placesOf(config)
    .filter(([, name]) => !known.has(name))
    .filter(([, name]) => !known.mayGrow || nearestName(name, suggestions) !== undefined)
    .map(([place, name]) => {
      const what = `${place} has no effect: there is no tool named ${name}`;
      return `${what}${didYouMean(name, suggestions) || '.'}`;
    });
};
