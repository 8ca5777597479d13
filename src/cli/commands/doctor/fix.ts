/** `toolcrib doctor --fix`: shows what can be repaired safely, asks, and does it. */
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { canAsk, confirm } from '../../input/confirm.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, note, print, printDone } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import type { Repair } from './own-files.ts';

export interface FixOptions {
  readonly fix?: boolean;
  readonly yes?: boolean;
}

/** What became of one repair. */
export interface Repaired {
  readonly repair: string;
  readonly done: boolean;
  readonly error?: string;
}

const agree = async (io: Io, repairs: readonly Repair[], { yes }: FixOptions): Promise<boolean> => {
  const say = io.json ? note : print;
  say(io, `${counted(repairs.length, 'thing')} can be repaired:`);
  for (const { fault, repair } of repairs) {
    say(io, `  ${visibleText(fault)}`, `    ${io.ink.cyan('→')} ${visibleText(repair)}`);
  }
  if (yes) return true;
  if (!canAsk(io)) {
    throw misuse('There is no terminal to ask on.', 'Repair without a question: --fix --yes');
  }
  return confirm(io, 'Do that?');
};

const applyOne = async (io: Io, { repair, apply }: Repair): Promise<Repaired> => {
  try {
    await apply();
    if (!io.json) printDone(io, visibleText(repair));
    return { repair, done: true };
  } catch (error) {
    const reason = reasonOf(error);
    if (!io.json) print(io, `${io.ink.red('✗')} ${visibleText(`${repair}: ${reason}`)}`);
    return { repair, done: false, error: reason };
  }
};

/** Applies the repairs one by one; one that fails does not stop the others. */
export const applyRepairs = async (
  io: Io,
  repairs: readonly Repair[],
  options: FixOptions,
): Promise<readonly Repaired[]> => {
  if (repairs.length === 0) {
    note(io, 'Nothing that could be repaired by itself.');
    return [];
  }
  if (!(await agree(io, repairs, options))) {
    note(io, 'Nothing was changed.');
    return [];
  }
  const repaired: Repaired[] = [];
  for (const repair of repairs) repaired.push(await applyOne(io, repair));
  if (!io.json) print(io, '');
  return repaired;
};
