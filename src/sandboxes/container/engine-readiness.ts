/** Tells whether the engine can give a container: it answers, and has the image and the runtime. */
import type Dockerode from 'dockerode';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { SandboxReadiness } from '../../contract/sandbox.ts';
import { answeredInTime, START_ENGINE } from './answered-in-time.ts';
import { engineFailure } from './engine-failure.ts';
import { assertRuntime, chooseRuntime } from './oci-runtime.ts';

interface ReadinessRequest {
  readonly image: string;
  /** One of these has to run it; absent when the engine may choose. */
  readonly runtimes: readonly string[] | undefined;
  readonly runtime: Pick<Runtime, 'after'>;
}

const VM =
  'Install Kata Containers or gVisor (runsc) and name the runtime in the settings of the engine.';

const notReady = (reason: string, install: string): SandboxReadiness => ({
  ready: false,
  reason,
  install,
});

/** Creates a container and never starts it: an engine may list a runtime that it cannot give. */
const tryRuntime = async (engine: Dockerode, image: string, runtime: string): Promise<void> => {
  const container = await engine.createContainer({
    Image: image,
    Cmd: ['true'],
    NetworkDisabled: true,
    HostConfig: { Runtime: runtime, NetworkMode: 'none' },
  });
  try {
    await assertRuntime(container, runtime);
  } finally {
    await container.remove({ force: true }).catch(() => undefined);
  }
};

export const hasImage = (engine: Dockerode, image: string): Promise<boolean> =>
  engine
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    );

const inspectEngine = async (
  engine: Dockerode,
  { image, runtimes }: ReadinessRequest,
): Promise<SandboxReadiness> => {
  await engine.ping();
  const runtime = runtimes && (await chooseRuntime(engine, runtimes));
  if (runtimes && runtime === undefined) {
    return notReady(`The engine knows no runtime named ${runtimes.join(' or ')}.`, VM);
  }
  if (!(await hasImage(engine, image))) {
    const pull = `Pull it: docker pull ${image}, or podman pull ${image}`;
    return notReady(`The image ${image} is not there.`, pull);
  }
  if (runtime !== undefined) await tryRuntime(engine, image, runtime);
  return { ready: true };
};

/** Tells whether the engine is ready. Never rejects, and answers also when the engine does not. */
export const engineReadiness = async (
  open: () => Promise<Dockerode>,
  request: ReadinessRequest,
): Promise<SandboxReadiness> => {
  try {
    return await answeredInTime(inspectEngine(await open(), request), request.runtime);
  } catch (error) {
    const isAnswer = typeof (Object(error) as { statusCode?: unknown }).statusCode === 'number';
    const failure = isAnswer ? engineFailure(error) : error;
    if (!(failure instanceof ToolFailure))
      return notReady('The engine does not answer.', START_ENGINE);
    return notReady(failure.message, failure.extras.suggestions?.[0] ?? START_ENGINE);
  }
};
