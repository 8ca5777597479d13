/** A crib that is open, and what it was opened with. */

import type { CribHost } from '../../contract/crib-host.ts';
import type { LoadedConfig } from '../../trust/load-config.ts';

export interface OpenCrib {
  readonly crib: CribHost;
  readonly loaded: LoadedConfig;
  /** The project's directory, or where one stands when there is no project. */
  readonly root: string;
}
