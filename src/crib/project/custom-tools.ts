/**
 * Provides a project's custom tools to a crib: only files that the user trusts, as they were
 * trusted. After an untrusted change, the tools loaded before stay.
 */
import { join } from 'node:path';
import { ToolFailure } from '../../contract/errors.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { ConfigLocation, ProjectTrust } from '../../trust/project-trust.ts';
import type { CribOptions } from '../crib-options.ts';

const TOOLS = 'tools/';

type Folder = NonNullable<ProjectTrust['folder']>;
type ToolFiles = ReadonlyMap<string, Uint8Array>;

const toolFilesIn = ({ contents }: Folder): ToolFiles =>
  new Map(
    [...contents]
      .filter(([path]) => path.startsWith(TOOLS))
      .map(([path, bytes]) => [path.slice(TOOLS.length), bytes] as const),
  );

const isTool = (path: string): boolean => path.toLowerCase().startsWith(TOOLS);

/** Returns the names of tools whose file is new or has changed since it was trusted. */
export const untrustedToolsOf = ({ trust }: Pick<LoadedConfig, 'trust'>): ReadonlySet<string> => {
  const { folder, inForce } = trust;
  const trusted = inForce?.files ?? {};
  const paths = Object.entries(folder?.files ?? {})
    .filter(([path, hash]) => isTool(path) && trusted[path] !== hash)
    .map(([path]) => path.slice(TOOLS.length));
  return new Set(paths.map((path) => path.replace(/\.[^./]*$/, '')));
};

/** Reads the files again. Throws unless all of them are trusted and the folder is the same. */
const readAgain = async (location: ConfigLocation, { realDir }: Folder): Promise<ToolFiles> => {
  const { readProjectTrust } = await import('../../trust/project-trust.ts');
  const { inForce, folder, changed = [], problems } = await readProjectTrust(location);
  const isTrusted = problems.length === 0 && !changed.some(isTool);
  if (isTrusted && inForce && folder?.realDir === realDir) return toolFilesIn(inForce);
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The custom tools have changed and are not trusted as they are now: those loaded before stay.',
    { suggestions: ['Look at what has changed with toolcrib trust, then save a tool again.'] },
  );
};

/** Returns the files read at the start first, and reads them again on later calls. */
const createReader = (location: ConfigLocation, folder: Folder): (() => Promise<ToolFiles>) => {
  let first: ToolFiles | undefined = toolFilesIn(folder);
  return async () => {
    const files = first ?? (await readAgain(location, folder));
    first = undefined;
    return files;
  };
};

/** Returns no option for a project without trusted tools. */
export const customToolsOf = (
  { trust, userDir }: Pick<LoadedConfig, 'trust' | 'userDir'>,
  { cwd, env }: ConfigLocation,
): Pick<CribOptions, 'customTools'> => {
  const { inForce: folder } = trust;
  if (!folder || toolFilesIn(folder).size === 0) return {};
  return {
    customTools: {
      folder: join(folder.realDir, '.toolcrib', 'tools'),
      files: createReader({ cwd, env }, folder),
      cacheDir: join(userDir, 'cache', 'tools'),
    },
  };
};
