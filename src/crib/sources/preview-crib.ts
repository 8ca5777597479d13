/** Opens a crib for a preview: it keeps everything in memory, and its folder is deleted afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CribHost } from '../../contract/crib-host.ts';
import { createCribHost } from '../create-crib.ts';
import type { CribOptions } from '../crib-options.ts';

export const withPreviewCrib = async <T>(
  options: Pick<CribOptions, 'settings' | 'secrets' | 'runtime' | 'root'>,
  work: (crib: CribHost) => Promise<T>,
): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-read-'));
  try {
    const crib = await createCribHost({
      home: folder,
      root: folder,
      store: 'memory',
      lock: 'memory',
      builtins: false,
      watch: false,
      startServers: false,
      ...options,
    });
    try {
      return await work(crib);
    } finally {
      await crib.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
