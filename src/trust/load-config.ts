/**
 * Loads the configuration. Bad configuration stops the start. Where nothing is configured, the
 * defaults are taken as they are: no schema has to be built to check what nobody wrote.
 */

import { defaultSettings } from '../config/default-settings.ts';
import { hasSettings, findUserFiles } from '../config/load/find-config-files.ts';
import { readPolicyBeside } from '../config/load/policy-files.ts';
import { ToolFailure } from '../contract/errors.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { unknownNameText } from '../kit/text/did-you-mean.ts';
import type { LoadedConfig } from './load-layers.ts';
import {
  type ConfigLocation,
  NO_PROJECT,
  type ProjectTrust,
  readProjectTrust,
  userDirOf,
} from './project-trust.ts';

export type { LoadedConfig } from './load-layers.ts';

export type LoadConfigOptions = ConfigLocation;

/** Nothing written anywhere: no file of the user's, no project, no variable, no doubt about any. */
const withoutAny = async (
  place: ConfigLocation,
  trust: ProjectTrust,
): Promise<LoadedConfig | undefined> => {
  if (trust.state !== 'none' || trust.problems.length > 0 || hasSettings(place.env))
    return undefined;
  const userDir = userDirOf(place);
  if ((await findUserFiles(userDir)).length > 0) return undefined;
  const policy = await readPolicyBeside(userDir, undefined);
  if (policy.problems.length > 0) return undefined;
  return {
    config: defaultSettings(),
    sources: [],
    projectDir: trust.projectDir,
    userDir,
    trust,
    narrowed: [],
    changes: [],
    policyFiles: policy.files,
    provenance: () => 'default',
  };
};

const trusted = async (place: ConfigLocation, trust: ProjectTrust): Promise<LoadedConfig> => {
  const [{ loadLayers }, { readTrustedProject }] = await Promise.all([
    import('./load-layers.ts'),
    import('./read-project.ts'),
  ]);
  return loadLayers(place, trust, readTrustedProject(trust));
};

const named = async (place: ConfigLocation, file: string): Promise<LoadedConfig> => {
  const [{ loadLayers }, { readNamedProject }] = await Promise.all([
    import('./load-layers.ts'),
    import('./read-project.ts'),
  ]);
  return loadLayers(place, NO_PROJECT, readNamedProject(place, file));
};

const PLACE_NAMES = ['cwd', 'env', 'home'];

/** Throws VALIDATION_ERROR for options that are not known or not of their kind. */
const assertPlace = (place: unknown): void => {
  if (!isRecord(place)) throw misused('options', 'has to be an object with cwd and env');
  const unknown = Object.keys(place).find((name) => !PLACE_NAMES.includes(name));
  if (unknown !== undefined) throw misused(unknown, unknownNameText(unknown, PLACE_NAMES));
  if (typeof place.cwd !== 'string') throw misused('cwd', 'has to be the path of a folder');
  if (!isRecord(place.env)) throw misused('env', 'has to be an object of variables');
};

const misused = (name: string, problem: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${name}: ${problem}`, {
    issues: [{ path: [name], message: problem }],
  });

/** Throws one `ConfigError` that lists every problem. Files that do not exist are fine. */
export const loadConfig = async (place: LoadConfigOptions): Promise<LoadedConfig> => {
  assertPlace(place);
  const file = place.env.TOOLCRIB_CONFIG;
  if (file) return named(place, file);
  const trust = await readProjectTrust(place);
  return (await withoutAny(place, trust)) ?? trusted(place, trust);
};

/** What `loadConfig` would give if the project were trusted as it was read. Throws like it. */
export const previewProject = (place: ConfigLocation, trust: ProjectTrust): Promise<LoadedConfig> =>
  trusted(place, {
    ...trust,
    state: 'trusted',
    lost: [],
    ...(trust.folder && { inForce: trust.folder }),
  });
