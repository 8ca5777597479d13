/** Provides a project's flow files to a crib: only those that the user trusts, as they were trusted. */
import type { LoadedConfig } from '../../trust/load-config.ts';
import type { CribOptions } from '../crib-options.ts';

const FLOWS = 'flows/';

/** Returns no option for a project without trusted flows. */
export const flowFilesOf = ({
  trust,
}: Pick<LoadedConfig, 'trust'>): Pick<CribOptions, 'flowFiles'> => {
  const files = [...(trust.inForce?.contents ?? [])]
    .filter(([path]) => path.startsWith(FLOWS))
    .map(([path, bytes]) => [path.slice(FLOWS.length), bytes] as const);
  return files.length === 0 ? {} : { flowFiles: new Map(files) };
};
