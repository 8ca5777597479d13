/** Whether the engine can give a container: it answers, has the image, and the runtime that is asked for. */
import type Dockerode from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { SandboxReadiness } from '../../contract/sandbox.ts';

interface Wanted {
  readonly image: string;
  readonly runtimes: readonly string[] | undefined;
}

const START = 'Install and start Docker or Podman (Debian: apt-get install podman).';
const VM =
  'Install Kata Containers or gVisor (runsc) and name the runtime in the settings of the engine.';

const notReady = (reason: string, install: string): SandboxReadiness => ({
  ready: false,
  reason,
  install,
});

export const engineReadiness = async (
  open: () => Promise<Dockerode>,
  { image, runtimes }: Wanted,
): Promise<SandboxReadiness> => {
  try {
    const engine = await open();
    const { Runtimes = {} } = (await engine.info()) as { readonly Runtimes?: object };
    if (runtimes !== undefined && !runtimes.some((name) => Object.hasOwn(Runtimes, name))) {
      return notReady('The engine has no runtime with kernels of its own.', VM);
    }
    const there = await engine
      .getImage(image)
      .inspect()
      .then(
        () => true,
        () => false,
      );
    if (there) return { ready: true };
    return notReady('The image of the sandbox is not there.', `Pull it: docker pull ${image}`);
  } catch (error) {
    if (!(error instanceof ToolFailure)) return notReady('The engine does not answer.', START);
    return notReady(error.message, error.extras.suggestions?.[0] ?? START);
  }
};
