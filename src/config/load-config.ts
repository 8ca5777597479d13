/**
 * Loads the configuration: the user's file, over it the project's, over it the environment. Bad
 * configuration stops the start: every problem of every source is thrown at once.
 */
import { resolve } from 'node:path';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { configShape } from './config-shape.ts';
import { environmentLayers } from './environment-layers.ts';
import {
  type Environment,
  findProjectFiles,
  findUserFiles,
  homeOf,
  ownerFault,
  ownersAt,
  projectOf,
} from './find-config-files.ts';
import type { ConfigSource, Layer } from './layer.ts';
import { originOf } from './origin-of.ts';
import { type FileReading, readConfigFile } from './read-config-file.ts';
import { resolveLayers } from './resolve-layers.ts';
import type { Config } from './schema.ts';

export interface LoadConfigOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly home?: string;
}

export interface LoadedConfig {
  readonly config: Config;
  /** What was read, weakest first. */
  readonly sources: readonly ConfigSource[];
  /** The directory that holds `.toolcrib`; paths in the configuration are relative to it. */
  readonly projectDir: string | undefined;
  /** Where the value of a setting comes from: `file:line`, a variable, or `default`. */
  provenance(path: string): string;
}

interface ProjectReading extends FileReading {
  readonly projectDir: string | undefined;
}

const NOTHING: FileReading = { layer: undefined, problems: [] };

/** Two files of the same rank: neither is stronger, so neither is taken. */
const onlyOne = (files: readonly string[]): readonly ConfigProblem[] =>
  files.length < 2
    ? []
    : files.map((file) => ({ file, path: '', message: 'one of two files; keep one' }));

const readUser = async (options: Required<LoadConfigOptions>): Promise<FileReading> => {
  const files = await findUserFiles({ ...options, platform: process.platform });
  const [file] = files;
  const double = onlyOne(files);
  if (file === undefined || double.length > 0) return { ...NOTHING, problems: double };
  return readConfigFile(file);
};

/** A file that `TOOLCRIB_CONFIG` names is trusted as it is, and has to exist. */
const readNamed = async (file: string): Promise<FileReading> => {
  const reading = await readConfigFile(file);
  if (reading.layer || reading.problems.length > 0) return reading;
  const message = 'does not exist, but TOOLCRIB_CONFIG names it';
  return { layer: undefined, problems: [{ file, path: '', message }] };
};

const readProject = async (options: Required<LoadConfigOptions>): Promise<ProjectReading> => {
  const { cwd, env, home } = options;
  const found = await findProjectFiles(cwd, home);
  if (env.TOOLCRIB_CONFIG) {
    const file = resolve(cwd, env.TOOLCRIB_CONFIG);
    return { ...(await readNamed(file)), projectDir: projectOf(file) ?? found?.projectDir };
  }
  const [file] = found?.files ?? [];
  if (!found || file === undefined) return { ...NOTHING, projectDir: undefined };
  const double = onlyOne(found.files);
  if (double.length > 0) return { ...NOTHING, problems: double, projectDir: found.projectDir };
  const owners = await ownersAt(cwd);
  const check = owners && ((uid: number) => ownerFault(uid, owners));
  return { ...(await readConfigFile(file, check)), projectDir: found.projectDir };
};

const sourceOf = (layer: Layer, kind: ConfigSource['kind']): ConfigSource => ({
  path: layer.path,
  kind,
});

/** Throws one `ConfigError` that lists every problem. Files that do not exist are fine. */
export const loadConfig = async (options: LoadConfigOptions): Promise<LoadedConfig> => {
  const complete = { ...options, home: options.home ?? homeOf(options.env) };
  const shape = configShape();
  const [user, project] = await Promise.all([readUser(complete), readProject(complete)]);
  const environment = environmentLayers(options.env, shape);
  // The user's own file named as the project's is read once.
  const userLayer = user.layer?.path === project.layer?.path ? undefined : user.layer;
  const files = [userLayer, project.layer].filter((layer) => layer !== undefined);
  const layers = [...files, ...environment.layers];
  const { config, problems } = resolveLayers(layers, shape);
  const all = [...user.problems, ...project.problems, ...environment.problems, ...problems];
  if (all.length > 0 || config === undefined) throw new ConfigError(all);
  return {
    config,
    sources: [
      ...(userLayer ? [sourceOf(userLayer, 'user')] : []),
      ...(project.layer ? [sourceOf(project.layer, 'project')] : []),
      ...environment.layers.map((layer) => sourceOf(layer, 'environment')),
    ],
    projectDir: project.projectDir,
    provenance: (path) => originOf(layers, path, shape),
  };
};
