/**
 * Loads the configuration. Bad configuration stops the start. Where nothing is configured, the
 * defaults are taken as they are: no schema has to be built to check what nobody wrote.
 */
import { defaultSettings } from '../config/default-settings.ts';
import { findUserFiles, hasSettings } from '../config/load/find-config-files.ts';
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

/** Gives the defaults where nothing is configured: no file, no project, no variable. */
const withoutAny = async (
  location: ConfigLocation,
  trust: ProjectTrust,
): Promise<LoadedConfig | undefined> => {
  if (trust.state !== 'none' || trust.problems.length > 0 || hasSettings(location.env))
    return undefined;
  const userDir = userDirOf(location);
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

const trusted = async (location: ConfigLocation, trust: ProjectTrust): Promise<LoadedConfig> => {
  const [{ loadLayers }, { readTrustedProject }] = await Promise.all([
    import('./load-layers.ts'),
    import('./read-project.ts'),
  ]);
  return loadLayers(location, trust, readTrustedProject(trust));
};

const named = async (location: ConfigLocation, file: string): Promise<LoadedConfig> => {
  const [{ loadLayers }, { readNamedProject }] = await Promise.all([
    import('./load-layers.ts'),
    import('./read-project.ts'),
  ]);
  return loadLayers(location, NO_PROJECT, readNamedProject(location, file));
};

const LOCATION_NAMES = ['cwd', 'env', 'home'];

/** Throws VALIDATION_ERROR for options that are not known or not of their kind. */
const assertLocation = (location: unknown): void => {
  if (!isRecord(location)) throw misused('options', 'has to be an object with cwd and env');
  const unknown = Object.keys(location).find((name) => !LOCATION_NAMES.includes(name));
  if (unknown !== undefined) throw misused(unknown, unknownNameText(unknown, LOCATION_NAMES));
  if (typeof location.cwd !== 'string') throw misused('cwd', 'has to be the path of a folder');
  if (!isRecord(location.env)) throw misused('env', 'has to be an object of variables');
};

const misused = (name: string, problem: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `${name}: ${problem}`, {
    issues: [{ path: [name], message: problem }],
  });

/**
 * Throws one `ConfigError` that lists every problem. Files that do not exist are fine.
 *
 * @example
 * const { config, provenance } = await loadConfig({ cwd: '.', env: { HOME: '/home/ada' } });
 * console.log(config.store.driver, provenance('store.driver'));
 */
export const loadConfig = async (location: LoadConfigOptions): Promise<LoadedConfig> => {
  assertLocation(location);
  const file = location.env.TOOLCRIB_CONFIG;
  if (file) return named(location, file);
  const trust = await readProjectTrust(location);
  return (await withoutAny(location, trust)) ?? trusted(location, trust);
};

/** Gives what `loadConfig` would give if the project were trusted as it is. Throws like it. */
export const previewProject = (
  location: ConfigLocation,
  trust: ProjectTrust,
): Promise<LoadedConfig> =>
  trusted(location, {
    ...trust,
    state: 'trusted',
    lost: [],
    ...(trust.folder && { inForce: trust.folder }),
  });
