/** Where the container engine listens: DOCKER_HOST, Docker's socket, or one of Podman's. */

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
 * `undefined` when nothing listens. An engine on another machine is none: the folders that are
 * granted would be folders over there.
 */
export const findEngine = (search: EngineSearch): EngineAddress | undefined => {
  const { socket, dockerHost, runtimeFolder, exists } = search;
  if (socket !== undefined) return exists(socket) ? { socketPath: socket } : undefined;
  if (dockerHost !== undefined && dockerHost !== '') {
    const path = dockerHost.startsWith(SCHEME) ? dockerHost.slice(SCHEME.length) : undefined;
    return path !== undefined && exists(path) ? { socketPath: path } : undefined;
  }
  const places = [
    '/var/run/docker.sock',
    ...(runtimeFolder === undefined
      ? []
      : [`${runtimeFolder}/docker.sock`, `${runtimeFolder}/podman/podman.sock`]),
    '/run/podman/podman.sock',
  ];
  const socketPath = places.find(exists);
  return socketPath === undefined ? undefined : { socketPath };
};
