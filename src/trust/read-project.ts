/** The project's part of the configuration: nothing of it unless it is trusted or named by hand. */
import { dirname, join, resolve } from 'node:path';
import type { ConfigProblem } from '../config/config-error.ts';
import { FOLDER, findProject, homeOf, NAMES, projectOf } from '../config/load/find-config-files.ts';
import {
  type PolicyFile,
  pinnedText,
  readPinnedPolicy,
  readPolicyBeside,
} from '../config/load/policy-files.ts';
import { type FileReading, readConfigFile, readLayer } from '../config/load/read-config-file.ts';
import type { ProjectFolder } from './project-folder.ts';
import type { ConfigLocation, ProjectTrust } from './project-trust.ts';

export interface ProjectReading extends FileReading {
  readonly projectDir: string | undefined;
  readonly policyFiles: readonly PolicyFile[];
  /** The user named the file, so it is the user's word and not narrowed. */
  readonly byHand: boolean;
}

const NOTHING = { layer: undefined, problems: [], policyFiles: [], byHand: false } as const;

/** Reports two files of the same rank: neither is stronger, so neither is taken. */
export const onlyOne = (files: readonly string[]): readonly ConfigProblem[] =>
  files.length < 2
    ? []
    : files.map((file) => ({ file, path: '', message: 'one of two files; keep one' }));

/** Reads the file that `TOOLCRIB_CONFIG` names: it is trusted as it is, and has to exist. */
export const readNamedProject = async (
  { cwd, env, home }: ConfigLocation,
  named: string,
): Promise<ProjectReading> => {
  const file = resolve(cwd, named);
  const projectDir = projectOf(file) ?? (await findProject(cwd, home ?? homeOf(env)));
  const { layer, problems } = await readConfigFile(file);
  if (!layer && problems.length === 0) {
    const message = 'does not exist, but TOOLCRIB_CONFIG names it';
    return { ...NOTHING, projectDir, problems: [{ file, path: '', message }] };
  }
  const policy = await readPolicyBeside(dirname(file), layer?.value, 'project');
  return {
    layer,
    problems: [...problems, ...policy.problems],
    policyFiles: policy.files,
    projectDir,
    byHand: true,
  };
};

const readPinned = async (folder: ProjectFolder): Promise<ProjectReading> => {
  const { projectDir, contents } = folder;
  const present = NAMES.filter((name) => contents.has(name));
  const files = present.map((name) => join(projectDir, FOLDER, name));
  const double = onlyOne(files);
  if (double.length > 0) return { ...NOTHING, projectDir, problems: double };
  const [name] = present;
  const [file] = files;
  const { layer, problems } =
    name === undefined || file === undefined
      ? NOTHING
      : await readLayer(file, pinnedText(folder, name));
  const policy = readPinnedPolicy(folder, layer?.value);
  return {
    layer,
    problems: [...problems, ...policy.problems],
    policyFiles: policy.files,
    projectDir,
    byHand: false,
  };
};

const lostProblem = ({ projectDir = '' }: ProjectTrust, name: string): ConfigProblem => ({
  file: join(projectDir, FOLDER, name),
  path: '',
  message: 'is not as you trusted it, and no copy was kept; look at it and decide: toolcrib trust',
});

/** Reads a trusted project. Another one is not even parsed, so its mistakes are not reported. */
export const readTrustedProject = async (trust: ProjectTrust): Promise<ProjectReading> => {
  const { inForce, lost = [], projectDir } = trust;
  if (!inForce) return { ...NOTHING, projectDir };
  // Without the restrictions that were trusted nothing may start.
  const problems = lost.map((name) => lostProblem(trust, name));
  return problems.length > 0 ? { ...NOTHING, projectDir, problems } : readPinned(inForce);
};
