/** The variables of the environment that set something. */
import type { Environment } from './find-config-files.ts';

/** Variables with our prefix that are no settings: they say where settings are. */
export const NOT_SETTINGS: readonly string[] = [
  'TOOLCRIB_HOME',
  'TOOLCRIB_CONFIG',
  'TOOLCRIB_TRUST',
];

/** An empty variable counts as unset, as it does in compose files and CI systems. */
export const settingsIn = (env: Environment): readonly (readonly [string, string])[] =>
  Object.entries(env)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
    .filter(([name]) => name.startsWith('TOOLCRIB_') && !NOT_SETTINGS.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

export const hasSettings = (env: Environment): boolean => settingsIn(env).length > 0;
