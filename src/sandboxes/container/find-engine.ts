/** Finds the socket of the container engine: DOCKER_HOST, Docker's socket, or one of Podman's. */

export interface EngineAddress {
  readonly socketPath: string;
}

export interface EngineSearch {
  /** What the configuration says; nothing else is looked at then. */
  readonly socket?: string | undefined;
  /** The value of DOCKER_HOST, if there is one. */
  readonly dockerHost: string | undefined;
  /** The value of XDG_RUNTIME_DIR, where Podman without root listens. */
  readonly runtimeFolder: string | undefined;
  exists(path: string): boolean;
}

const SCHEME = 'unix://';

/**
 * Gives `undefined` when there is no socket. An engine on another machine does not count: granted
 * folders would be folders of that machine.
 */
export const findEngine = (search: EngineSearch): EngineAddress | undefined => {
  const { socket, dockerHost, runtimeFolder, exists } = search;
  if (socket !== undefined) return exists(socket) ? { socketPath: socket } : undefined;
  if (dockerHost !== undefined && dockerHost !== '') {
    const path = dockerHost.startsWith(SCHEME) ? dockerHost.slice(SCHEME.length) : undefined;
    return path !== undefined && exists(path) ? { socketPath: path } : undefined;
  }
  const candidates = [
    '/var/run/docker.sock',
    ...(runtimeFolder === undefined
      ? []
      : [`${runtimeFolder}/docker.sock`, `${runtimeFolder}/podman/podman.sock`]),
    '/run/podman/podman.sock',
  ];
  const socketPath = candidates.find(exists);
  return socketPath === undefined ? undefined : { socketPath };
};
