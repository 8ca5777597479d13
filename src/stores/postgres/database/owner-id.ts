/**
 * Names owners. A name tells which process it is, so that others on the same machine can see whether that
 * process has ended or is only silent, also when its row is gone.
 */
import { randomUUID } from 'node:crypto';
import { sha256Hex } from '../../../kit/data/canonical-json.ts';
import { identifyProcess, isProcessAlive } from '../../../kit/sqlite/process-identity.ts';

/** Enough to tell machines, their boots and their pid namespaces apart. */
const SCOPE_CHARS = 16;

/** Names where a pid means the same process. */
const scopeOf = (place: string): string => sha256Hex(place).slice(0, SCOPE_CHARS);

export const newOwnerId = (): string => {
  const { place, pid, started } = identifyProcess();
  return [randomUUID(), scopeOf(place), pid, started].join(' ');
};

/**
 * Tells whether the process of an owner has ended for certain. False for one that cannot be seen from here:
 * on another machine, in another container, or where the system does not tell when processes started.
 */
export const hasEnded = (ownerId: string): boolean => {
  const [, scope, pid, started = ''] = ownerId.split(' ');
  const { place } = identifyProcess();
  if (started === '' || scope !== scopeOf(place)) return false;
  return !isProcessAlive({ place, pid: Number(pid), started });
};
