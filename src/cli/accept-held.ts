/** Shows what is held, asks, and lets out what the person has seen. */
import { ToolFailure } from '../contract/errors.ts';
import type { LockEntry, LockState } from '../contract/lock.ts';
import { canAsk, confirm } from './confirm.ts';
import { counted } from './format-units.ts';
import { type Io, note } from './io.ts';
import { localPerson } from './local-person.ts';
import { lockPage } from './lock-page.ts';
import type { OpenCrib } from './open-crib.ts';

const asked = async (io: Io, held: readonly LockState[]): Promise<boolean> => {
  if (io.json || !canAsk(io)) {
    throw new ToolFailure('VALIDATION_ERROR', 'There is no terminal to ask on.', {
      suggestions: ['Read the differences, then add --yes to accept them.'],
    });
  }
  const flagged = held.filter(({ state }) => state === 'flagged').length;
  const odd = flagged === 0 ? '' : `, ${flagged} of them flagged`;
  return confirm(io, `Accept ${counted(held.length, 'tool')} as shown${odd}?`);
};

/** `undefined` when the person said no. */
export const acceptHeld = async (
  io: Io,
  { crib }: OpenCrib,
  { held, yes }: { readonly held: readonly LockState[]; readonly yes: boolean },
): Promise<readonly LockEntry[] | undefined> => {
  if (!io.json) note(io, ...held.flatMap((state) => lockPage(state, io.noteInk)));
  if (held.length > 0 && !yes && !(await asked(io, held))) return undefined;
  // What was seen is accepted, not what may lie there by now.
  return crib.lock.accept(
    held.map(({ tool, fingerprint }) => ({ tool, fingerprint })),
    localPerson(),
  );
};
