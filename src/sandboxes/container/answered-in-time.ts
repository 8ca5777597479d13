/** Limits the wait for an engine: a socket may accept everything and never answer. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';

const MAX_MS = 10_000;

export const START_ENGINE =
  'Start Docker or Podman: systemctl start docker, or podman system service (Debian: apt-get install podman).';

/** Waits for a request that a working engine answers at once. Fails with SANDBOX_ERROR when it takes too long. */
export const answeredInTime = async <T>(
  work: Promise<T>,
  { after }: Pick<Runtime, 'after'>,
): Promise<T> => {
  let timer: { cancel(): void } | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = after(MAX_MS, () => {
      const suggestions = [START_ENGINE];
      reject(new ToolFailure('SANDBOX_ERROR', 'The engine does not answer.', { suggestions }));
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
};
