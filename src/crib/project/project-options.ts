/** Turns the trusted settings of a project's folder into the options of a crib. */
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { ConfigLocation } from '../../trust/project-trust.ts';
import type { CribOptions } from '../crib-options.ts';
import { customToolsOf, untrustedToolsOf } from './custom-tools.ts';
import { isUserPackage, packagesOption } from './packages-option.ts';
import { isUserServer } from './user-server.ts';

/** Options that come from the project, never from the program that opens it. */
export type ProjectSetting =
  | 'settings'
  | 'config'
  | 'root'
  | 'home'
  | 'policyFiles'
  | 'lock'
  | 'customTools'
  | 'packages'
  | 'flowFiles'
  | 'untrustedTools';

const FLOWS = 'flows/';

/** Passes on the trusted flow files, as they were when they were trusted; no option without any. */
const flowFilesOf = ({ trust }: Pick<LoadedConfig, 'trust'>): Pick<CribOptions, 'flowFiles'> => {
  const files = [...(trust.inForce?.contents ?? [])]
    .filter(([path]) => path.startsWith(FLOWS))
    .map(([path, bytes]) => [path.slice(FLOWS.length), bytes] as const);
  return files.length === 0 ? {} : { flowFiles: new Map(files) };
};

export const projectOptions = (
  loaded: LoadedConfig,
  { cwd, env }: ConfigLocation,
): Pick<CribOptions, ProjectSetting> & { readonly root: string } => ({
  settings: loaded.config,
  root: loaded.projectDir ?? cwd,
  home: loaded.userDir,
  policyFiles: loaded.policyFiles,
  lock: {
    userDir: loaded.userDir,
    project: {
      cwd,
      env,
      trust: loaded.trust,
      isUserOrigin: (origin) => isUserServer(loaded, origin) || isUserPackage(loaded, origin),
    },
  },
  ...customToolsOf(loaded, { cwd, env }),
  ...packagesOption(loaded, { cwd, env }),
  ...flowFilesOf(loaded),
  untrustedTools: untrustedToolsOf(loaded),
});
