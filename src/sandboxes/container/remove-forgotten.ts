/** A parent that was killed leaves its containers behind; the next one clears them away. */
import type Dockerode from 'dockerode';
import { ENDS_AT_LABEL } from './container-request.ts';

/** Only ours, and only those whose time is over. */
export const removeForgotten = async (engine: Dockerode, now: number): Promise<void> => {
  const ours = await engine
    .listContainers({ all: true, filters: { label: [ENDS_AT_LABEL] } })
    .catch(() => []);
  const forgotten = ours.filter(({ Labels }) => Number(Labels[ENDS_AT_LABEL]) < now);
  await Promise.all(
    forgotten.map(({ Id }) =>
      engine
        .getContainer(Id)
        .remove({ force: true })
        .catch(() => undefined),
    ),
  );
};
