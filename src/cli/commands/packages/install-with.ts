/** What `install` and `update` share: the question before, and the tools in quarantine after. */
import type { InstallationReview, InstallOptions } from '../../../contract/packages.ts';
import { canAsk, confirm, noTerminal } from '../../input/confirm.ts';
import { type Io, note } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { acceptHeld, isHeld } from '../tools/lock-page.ts';

export interface AgreeOptions {
  readonly yes?: boolean;
  readonly allowLookAlike?: boolean;
}

/** Shows what would be installed and asks; `--yes` does not cover a name that looks like another. */
export const agreement = (
  io: Io,
  { yes = false, allowLookAlike = false }: AgreeOptions,
  show: (review: InstallationReview) => void,
): Pick<InstallOptions, 'confirm' | 'allowLookAlike'> => {
  const mayAsk = !io.json && canAsk(io);
  if (!yes && !mayAsk) throw noTerminal('Add --yes to install it without being asked.');
  if (!mayAsk) return { allowLookAlike };
  return {
    confirm: async (review) => {
      show(review);
      const isAlike = review.lookAlikes.length > 0 && !allowLookAlike;
      return (yes && !isAlike) || confirm(io, `Install ${review.package.name}?`);
    },
  };
};

/** Offers to accept the tools of a package, or names the commands that do. */
export const settleQuarantine = async (io: Io, open: OpenCrib, name: string): Promise<void> => {
  const held = open.crib.tools.lock
    .states()
    .filter((state) => state.origin === `package:${name}` && isHeld(state));
  const [first] = held;
  if (!first || io.json) return;
  const arrow = io.noteInk.cyan('→');
  if (canAsk(io)) {
    const accepted = await acceptHeld(io, open, { held, yes: false });
    if (accepted)
      return note(io, `${io.noteInk.green('✓')} Accepted: ${counted(accepted.length, 'tool')}`);
  }
  note(
    io,
    `${arrow} ${counted(held.length, 'tool')} in quarantine. Review and accept one: toolcrib tools accept ${first.tool}`,
  );
};
