/**
 * The project's own tools as a crib takes them: the bytes that were trusted, and later only what is
 * trusted then. Files that changed since are not taken; the tools loaded before stay.
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

/** Tools that are not taken as they are now: those whose file is new or different, by its name. */
export const untrustedToolsOf = ({ trust }: Pick<LoadedConfig, 'trust'>): ReadonlySet<string> => {
  const { folder, inForce } = trust;
  const trusted = inForce?.files ?? {};
  const paths = Object.entries(folder?.files ?? {})
    .filter(([path, hash]) => isTool(path) && trusted[path] !== hash)
    .map(([path]) => path.slice(TOOLS.length));
  return new Set(paths.map((path) => path.replace(/\.[^./]*$/, '')));
};

/** What is there now, if all tools of now are trusted, and the folder still the same. */
const lookAgain = async (place: ConfigLocation, { realDir }: Folder): Promise<ToolFiles> => {
  const { readProjectTrust } = await import('../../trust/project-trust.ts');
  const { inForce, folder, changed = [], problems } = await readProjectTrust(place);
  const isTrusted = problems.length === 0 && !changed.some(isTool);
  if (isTrusted && inForce && folder?.realDir === realDir) return toolFilesIn(inForce);
  throw new ToolFailure(
    'PERMISSION_DENIED',
    'The custom tools have changed and are not trusted as they are now: those loaded before stay.',
    { suggestions: ['Look at what has changed with toolcrib trust, then save a tool again.'] },
  );
};

/** The first look was part of the start: nothing is read a second time before something changes. */
const filesOnce = (place: ConfigLocation, folder: Folder): (() => Promise<ToolFiles>) => {
  let first: ToolFiles | undefined = toolFilesIn(folder);
  return async () => {
    const files = first ?? (await lookAgain(place, folder));
    first = undefined;
    return files;
  };
};

/** Nothing for a project that is not trusted, or has no tools that are. */
export const customToolsOf = (
  { trust, userDir }: Pick<LoadedConfig, 'trust' | 'userDir'>,
  { cwd, env }: ConfigLocation,
): Pick<CribOptions, 'customTools'> => {
  const { inForce: folder } = trust;
  if (!folder || toolFilesIn(folder).size === 0) return {};
  return {
    customTools: {
      folder: join(folder.realDir, '.toolcrib', 'tools'),
      files: filesOnce({ cwd, env }, folder),
      cacheDir: join(userDir, 'cache', 'tools'),
    },
  };
};
