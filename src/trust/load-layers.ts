/**
 * Merges the configuration: the user's file, over it what a trusted project narrows, over it the
 * environment. Every problem of every source is thrown at once.
 */
import { ConfigError, type ConfigProblem } from '../config/config-error.ts';
import type { ShapeNode } from '../config/document/config-shape.ts';
import { mergeTrees, type Tree, valueAt } from '../config/document/config-tree.ts';
import { configShape } from '../config/document/read-config-shape.ts';
import { environmentLayers } from '../config/load/environment-layers.ts';
import { findUserFiles } from '../config/load/find-config-files.ts';
import { type ConfigSource, type Layer, originOf } from '../config/load/layer.ts';
import { type PolicyFile, readPolicyBeside } from '../config/load/policy-files.ts';
import { type FileReading, readConfigFile } from '../config/load/read-config-file.ts';
import { layerProblems, resolveLayers } from '../config/load/resolve-layers.ts';
import type { LoadedSettings } from '../config/loaded-settings.ts';
import {
  type NarrowedProject,
  type NarrowedSetting,
  narrowProject,
  type ProjectChange,
} from './narrow-project.ts';
import { type ConfigLocation, type ProjectTrust, userDirOf } from './project-trust.ts';
import { onlyOne, type ProjectReading } from './read-project.ts';

/** The configuration of a folder, as far as its user trusts it. */
export interface LoadedConfig extends LoadedSettings {
  readonly trust: ProjectTrust;
  /** What the project would have widened, and did not. */
  readonly narrowed: readonly NarrowedSetting[];
  /** What is different because of the project. */
  readonly changes: readonly ProjectChange[];
}

const readUser = async (userDir: string): Promise<FileReading> => {
  const files = await findUserFiles(userDir);
  const [file] = files;
  const double = onlyOne(files);
  if (file === undefined || double.length > 0) return { layer: undefined, problems: double };
  return readConfigFile(file);
};

interface Readings {
  readonly user: FileReading;
  readonly project: ProjectReading;
  readonly environment: ReturnType<typeof environmentLayers>;
  readonly trust: ProjectTrust;
  readonly userDir: string;
  readonly shape: ShapeNode;
}

/** Narrows the project's layer, unless the user named its file or it is the user's own. */
const narrowed = async ({
  user,
  project,
  shape,
}: Readings): Promise<NarrowedProject | undefined> =>
  project.layer && project.projectDir !== undefined && !project.byHand
    ? narrowProject(project.layer, user.layer?.value ?? {}, {
        shape,
        projectDir: project.projectDir,
      })
    : undefined;

/** Gives the user's names of policy files; the environment is stronger than the file. */
const userPolicyTree = ({ user, environment, shape }: Readings): Tree =>
  environment.layers
    .filter(({ value }) => valueAt(value, ['policy', 'files']).isSet)
    .reduce<Tree>((tree, { value }) => mergeTrees(tree, value, shape), user.layer?.value ?? {});

/** Lists problems of trust; they only matter to a user who insists on it. */
const trustProblems = ({ state, insisted, problems }: ProjectTrust): readonly ConfigProblem[] =>
  insisted && state !== 'trusted' ? problems : [];

const sourceOf = (layer: Layer | undefined, kind: ConfigSource['kind']): readonly ConfigSource[] =>
  layer ? [{ path: layer.path, kind }] : [];

/** Removes duplicates: a file that the user names, too, is the user's. */
const withoutDoubles = (files: readonly PolicyFile[]): readonly PolicyFile[] =>
  files.filter(({ path }, index) => files.findIndex((file) => file.path === path) === index);

const assemble = async (readings: Readings): Promise<LoadedConfig> => {
  const { user, project, environment, trust, userDir, shape } = readings;
  // The user's own file named as the project's is read once.
  const userLayer = user.layer?.path === project.layer?.path ? undefined : user.layer;
  const within = await narrowed(readings);
  const projectLayer = within?.layer ?? project.layer;
  const files = [userLayer, projectLayer].filter((layer) => layer !== undefined);
  const layers = [...files, ...environment.layers];
  const { config, problems } = resolveLayers(layers, shape);
  const policy = await readPolicyBeside(userDir, userPolicyTree(readings));
  const all = [
    ...trustProblems(trust),
    ...[user, project, environment, policy].flatMap((reading) => reading.problems),
    // What was not taken can be a mistake all the same.
    ...(within && project.layer ? layerProblems(project.layer, shape) : []),
    ...problems,
  ];
  if (all.length > 0 || config === undefined) throw new ConfigError(all);
  return {
    config,
    sources: [
      ...sourceOf(userLayer, 'user'),
      ...sourceOf(projectLayer, 'project'),
      ...environment.layers.flatMap((layer) => sourceOf(layer, 'environment')),
    ],
    projectDir: project.projectDir,
    userDir,
    trust,
    narrowed: within?.narrowed ?? [],
    changes: within?.changes ?? [],
    policyFiles: withoutDoubles([...policy.files, ...project.policyFiles]),
    provenance: (path) => originOf(layers, path, shape),
  };
};

export const loadLayers = async (
  location: ConfigLocation,
  trust: ProjectTrust,
  reading: Promise<ProjectReading>,
): Promise<LoadedConfig> => {
  const shape = configShape();
  const userDir = userDirOf(location);
  const [user, project] = await Promise.all([readUser(userDir), reading]);
  return assemble({
    user,
    project,
    environment: environmentLayers(location.env, shape),
    trust,
    userDir,
    shape,
  });
};
