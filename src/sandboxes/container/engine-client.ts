/** Opens a client of the engine; the library is loaded with the first request. */
import type Dockerode from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { EngineAddress } from './find-engine.ts';

/** The library, imported only when it is needed. */
export type LoadEngine = () => Promise<{ readonly default: typeof Dockerode }>;

export interface EngineClient {
  readonly engine: Dockerode;
  readonly socketPath: string;
}

const noEngine = () =>
  new ToolFailure('SANDBOX_ERROR', 'No container engine was found on this machine.', {
    suggestions: [
      'Install and start Docker or Podman (Debian: apt-get install podman), or set sandbox.container.socket.',
    ],
  });

const noLibrary = () =>
  new ToolFailure('DEPENDENCY_MISSING', 'The package dockerode is not installed.', {
    suggestions: ['npm install dockerode'],
  });

/** Rejects with SANDBOX_ERROR without an engine, with DEPENDENCY_MISSING without the library. */
export const openEngineClient = async (
  address: EngineAddress | undefined,
  load: LoadEngine = () => import('dockerode'),
): Promise<EngineClient> => {
  if (address === undefined) throw noEngine();
  const { default: Engine } = await load().catch(() => {
    throw noLibrary();
  });
  return { engine: new Engine({ socketPath: address.socketPath }), socketPath: address.socketPath };
};
