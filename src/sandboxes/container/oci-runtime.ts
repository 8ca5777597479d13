/**
 * Which OCI runtime runs a container, made sure of: an engine may list one that is not installed, and
 * Podman's Docker API takes the order for another runtime and runs its own all the same.
 */
import type Dockerode from 'dockerode';
import type { Container } from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';

/** What Podman calls every runtime in the answers of its Docker API. */
const PODMAN_RUNTIME = 'oci';

interface EngineInfo {
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DefaultRuntime?: string;
}

/** The engine's own if it is among those wanted, as Podman has no other; else the first it knows. */
export const chooseRuntime = async (
  engine: Dockerode,
  wanted: readonly string[],
): Promise<string | undefined> => {
  const { Runtimes = {}, DefaultRuntime } = (await engine.info()) as EngineInfo;
  if (DefaultRuntime !== undefined && wanted.includes(DefaultRuntime)) return DefaultRuntime;
  return wanted.find((name) => Object.hasOwn(Runtimes, name));
};

const podmanRuntime = ({ modem, id }: Container): Promise<unknown> =>
  new Promise((resolve) => {
    const path = `/v4.0.0/libpod/containers/${id}/json`;
    const options = { path, method: 'GET', statusCodes: { 200: true } };
    modem.dial(options, (error: unknown, answer: unknown) => {
      resolve(error ? undefined : (Object(answer) as { OCIRuntime?: unknown }).OCIRuntime);
    });
  });

export const noRuntime = (): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', 'The engine would not run it with the runtime asked for.', {
    suggestions: [
      'Install the runtime and name it in the settings of Docker; with Podman make it the `runtime` of containers.conf and restart the service.',
    ],
  });

/** Fails with SANDBOX_ERROR unless the engine says that this container gets this runtime. */
export const assertRuntime = async (container: Container, wanted: string): Promise<void> => {
  const { HostConfig } = await container.inspect();
  const { Runtime: given } = HostConfig as { readonly Runtime?: string };
  const found = given === PODMAN_RUNTIME ? await podmanRuntime(container) : given;
  if (found !== wanted) throw noRuntime();
};
