/**
 * Chooses and verifies the OCI runtime of a container: an engine may list one that is not installed,
 * and Podman's Docker API accepts any runtime and runs its own all the same.
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

/** Chooses the engine's default if it is a candidate, as Podman has no other; else the first it knows. */
export const chooseRuntime = async (
  engine: Dockerode,
  candidates: readonly string[],
): Promise<string | undefined> => {
  const { Runtimes = {}, DefaultRuntime } = (await engine.info()) as EngineInfo;
  if (DefaultRuntime !== undefined && candidates.includes(DefaultRuntime)) return DefaultRuntime;
  return candidates.find((name) => Object.hasOwn(Runtimes, name));
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
export const assertRuntime = async (container: Container, runtime: string): Promise<void> => {
  const { HostConfig } = await container.inspect();
  const { Runtime: reported } = HostConfig as { readonly Runtime?: string };
  const actual = reported === PODMAN_RUNTIME ? await podmanRuntime(container) : reported;
  if (actual !== runtime) throw noRuntime();
};
