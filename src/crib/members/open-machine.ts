/** Reads the resources of this machine, for tools that declare what they need. */
import { statfs } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { ResourceGate, type Resources } from '../../flow/declared/run/resource-gate.ts';

/** Reads the memory limit of the container; infinite, or more than the machine has, when there is none. */
const limitOfContainer = (): number => {
  const limit = process.constrainedMemory();
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
};

const freeDisk = async (): Promise<number> => {
  try {
    const { bavail, bsize } = await statfs(tmpdir());
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
};

export interface Machine {
  readonly gate: ResourceGate;
  readonly capacity: Resources;
}

export const openMachine = async (): Promise<Machine> => {
  const capacity = {
    memory: Math.min(totalmem(), limitOfContainer()),
    disk: await freeDisk(),
    cpu: availableParallelism(),
  };
  return { gate: new ResourceGate(capacity), capacity };
};
