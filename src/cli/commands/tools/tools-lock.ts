/** `toolcrib tools lock`: what is accepted of the tools from outside, and what is not. */
import type { Command } from 'commander';
import { toolError } from '../../../contract/errors.ts';
import type { LockState } from '../../../contract/lock.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, widthOf } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { counted } from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { acceptHeld, assertCanAsk } from './accept-held.ts';
import { isHeld, lockFileOf, lockRow } from './lock-page.ts';
import { withFreshCrib } from './with-fresh-crib.ts';

interface LockOptions {
  readonly acceptAll?: boolean;
  readonly prune?: boolean;
  readonly yes?: boolean;
}

const summary = (states: readonly LockState[]): string => {
  const held = states.filter(isHeld).length;
  const gone = states.filter(({ state }) => state === 'gone').length;
  const accepted = states.length - held - gone;
  return `${counted(states.length - gone, 'tool')} from outside: ${accepted} accepted, ${held} in quarantine${gone > 0 ? `, ${gone} gone` : ''}`;
};

const show = (io: Io, states: readonly LockState[]): void => {
  print(
    io,
    ...table(
      states.map((state) => lockRow(state, io.ink)),
      widthOf(io),
    ),
    ...(states.length > 0 ? [''] : []),
    summary(states),
  );
  const [held] = states.filter(isHeld);
  if (held) note(io, `To look at one and let it in: toolcrib tools accept ${held.tool}`);
  if (states.some(({ state }) => state === 'gone')) {
    note(io, 'To drop the lines of those that are gone: toolcrib tools lock --prune');
  }
};

const lockTools = async (io: Io, open: OpenCrib, options: LockOptions): Promise<number> => {
  const { lock } = open.crib.tools;
  const states = lock.states();
  if (options.prune === true) {
    await lock.forget(states.flatMap(({ tool, state }) => (state === 'gone' ? [tool] : [])));
  }
  if (options.acceptAll === true) {
    const held = states.filter(isHeld);
    const accepted = await acceptHeld(io, open, { held, yes: options.yes === true });
    if (!accepted) {
      note(io, ...errorLines(toolError('USER_CANCELLED', 'They stay in quarantine.'), io.noteInk));
      return 3;
    }
  }
  const { lock: mode } = open.loaded.config.registry;
  if (io.json) printJson(io, { mode, file: lockFileOf(open, states), tools: lock.states() });
  else if (mode === 'off') print(io, 'The lock is off: registry.lock.');
  else show(io, lock.states());
  return 0;
};

export const toolsLockCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(
      tools.command('lock').description('what is accepted of the tools from outside, what is not'),
    )
      .option('--accept-all', 'accept everything that is held, after a look at it')
      .option('--prune', 'drop the lines of tools that are gone')
      .option('-y, --yes', 'do not ask')
      .action(
        leaving(io, async (options: LockOptions) => {
          if (options.acceptAll === true && options.yes !== true) assertCanAsk(io);
          return withFreshCrib(io, (open) => lockTools(io, open, options));
        }),
      ),
    'toolcrib tools lock',
    'toolcrib tools lock --accept-all',
    'toolcrib tools lock --json',
  );
