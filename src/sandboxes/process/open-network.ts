/** The network of one run: a private folder with the proxy's socket in it, gone when the run is over. */
import { chmodSync, chownSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Identity } from '../sandbox-identity.ts';
import { type Connect, createFilteringProxy } from './filtering-proxy.ts';

export interface RunNetwork {
  /** On the host. */
  readonly socket: string;
  readonly refusals: readonly string[];
  /** Lets the user that the sandbox runs as, and nobody else, use the socket. */
  admit(identity: Identity | undefined): void;
  /** Lets the process end while the proxy listens. */
  unref(): void;
  close(): Promise<void>;
}

const LIMITS = { connections: 64, bytes: 2 * 1024 ** 3, idleMs: 120_000 };

export const openNetwork = async (connect: Connect): Promise<RunNetwork> => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-net-'));
  const socket = join(folder, 'proxy.sock');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const proxy = await createFilteringProxy({ socketPath: socket, connect, limits: LIMITS });
    return {
      socket,
      refusals: proxy.refusals,
      admit: (identity) => {
        chmodSync(socket, 0o600);
        if (identity === undefined) return;
        for (const path of [folder, socket]) chownSync(path, identity.uid, identity.gid);
      },
      unref: () => proxy.unref(),
      close: async () => {
        await proxy.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
};
