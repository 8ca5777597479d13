/** Closes the crib of a command that follows a run: calls that may change something have a while to end. */
import type { CribHost } from '../../../contract/crib-host.ts';
import { ERRORS } from '../../../contract/errors.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, note } from '../../io.ts';
import { awaitEnd } from '../../session/on-interrupt.ts';
import { closeCrib } from '../../session/open-crib.ts';

const MAX_NAMES = 3;

/** Names the tools whose calls are waited for; those that only read are cancelled at once. */
const toolsUnderWay = async (crib: CribHost): Promise<string | undefined> => {
  const calls = await crib.executions.running().catch(() => []);
  const here = calls.filter(({ isHere, tier }) => isHere && tier !== 'read_only');
  const names = [...new Set(here.map(({ tool }) => visibleText(tool)))];
  if (names.length === 0) return undefined;
  const left = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(left > 0 ? [`${left} more`] : [])].join(', ');
};

/** Says what a process leaves behind that does not wait for its calls, and ends it. */
export const cutOff = (io: Io, tools: string | undefined): void => {
  const doubt =
    tools === undefined
      ? 'Left at once.'
      : `Left at once: nobody knows whether ${tools} took effect.`;
  note(io, '', `${io.noteInk.yellow('!')} ${doubt}`);
  io.signals.exit(ERRORS.CANCELLED.exit);
};

/** Closes the crib, and says what it waits for. Another Ctrl-C ends the process at once. */
export const closeSession = async (io: Io, crib: CribHost): Promise<void> => {
  const tools = await toolsUnderWay(crib);
  if (tools === undefined) return closeCrib(io, crib);
  const { ended, release } = awaitEnd(io);
  const closed = { isOver: false };
  void ended.then(() => {
    if (!closed.isOver) cutOff(io, tools);
  });
  note(io, `Waiting for ${tools} to end, 10 s at most; Ctrl-C again cuts it off.`);
  try {
    await closeCrib(io, crib, `Waiting for ${tools} to end`);
  } finally {
    closed.isOver = true;
    release();
  }
};
