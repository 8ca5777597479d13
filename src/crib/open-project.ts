/** Opens the crib of a project's folder, with everything that the command line gives it. */
import { resolve } from 'node:path';
import { readEnvironment } from '../config/read-environment.ts';
import type { Crib } from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Tool } from '../contract/tool.ts';
import type { ToolMap, ToolMapOf } from '../contract/tool-types.ts';
import type { ArgumentCheck } from '../kit/data/check-arguments.ts';
import { type LoadedConfig, loadConfig } from '../trust/load-config.ts';
import { assertFolder, assertOptions, PROJECT_OPTIONS } from './check-options.ts';
import { createCribHost } from './create-crib.ts';
import { createRuntime } from './create-runtime.ts';
import type { CribOptions } from './crib-options.ts';
import { type ProjectSetting, projectOptions } from './project/project-options.ts';

/** What a program adds to the settings of the project. */
export interface ProjectOptions extends Omit<CribOptions, ProjectSetting> {
  /** The variables to read; those of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Warns in the log when files of the project have no effect because they are not trusted. */
const warnOfDistrust = ({ trust }: LoadedConfig, runtime: CribOptions['runtime']): void => {
  if (trust.state !== 'untrusted' && trust.state !== 'changed') return;
  createRuntime(runtime).log.warn(
    'the project is not trusted as it is now, so its files are without effect: run `toolcrib trust`',
    { state: trust.state },
  );
};

/**
 * Opens the project that a folder belongs to as the command line does: configuration of the user and
 * the project, policy, lock, custom tools and `TOOLCRIB_…` variables. What the user has not trusted
 * is without effect. Throws a `ConfigError` that lists every problem of the configuration.
 *
 * @example
 * const project = await openProject('.', { approver: () => false });
 * await project.execute('read_file', { path: 'README.md' });
 * await project.close();
 */
export function openProject<const Tools extends readonly Tool[]>(
  folder: string,
  options: ProjectOptions & { readonly tools: Tools },
): Promise<Crib<ToolMapOf<Tools>>>;
export function openProject<Tools extends ToolMap = ToolMap>(
  folder: string,
  options?: ProjectOptions,
): Promise<Crib<Tools>>;
export async function openProject(folder: string, options: ProjectOptions = {}): Promise<Crib> {
  const checks: Readonly<Record<keyof ProjectOptions, ArgumentCheck>> = PROJECT_OPTIONS;
  assertOptions(options, checks);
  const { env = readEnvironment(), ...cribOptions } = options;
  if (typeof folder !== 'string' || folder === '') {
    throw new ToolFailure('VALIDATION_ERROR', 'folder: has to be the path of a folder.');
  }
  await assertFolder(folder, 'folder');
  const location = { cwd: resolve(folder), env };
  const loaded = await loadConfig(location);
  warnOfDistrust(loaded, cribOptions.runtime);
  return createCribHost({ ...cribOptions, ...projectOptions(loaded, location) });
}
