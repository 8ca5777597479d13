/** `toolcrib tools verify`: fails when tools from outside are not what was accepted. For CI. */
import type { Command } from 'commander';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson, widthOf } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import { isOpenState, lockRow } from './lock-page.ts';
import { type FreshCrib, withFreshCrib } from './with-fresh-crib.ts';

const verify = async (io: Io, { crib, loaded, unreachable }: FreshCrib): Promise<number> => {
  const { lock: mode } = loaded.config.registry;
  const states = crib.tools.lock.states();
  const open = states.filter(isOpenState);
  // What could not be asked has not been verified.
  const ok = open.length === 0 && unreachable.length === 0 && mode !== 'off';
  if (io.json) {
    printJson(io, { ok, mode, checked: states.length, tools: open, unreachable });
    return ok ? 0 : 1;
  }
  if (mode === 'off') {
    note(io, `${io.noteInk.red('✗')} The lock is off, so nothing was checked: registry.lock.`);
    return 1;
  }
  if (ok) {
    print(io, `${io.ink.green('✓')} ${counted(states.length, 'tool')} from outside, as accepted`);
    return 0;
  }
  const rows = open.map((state) => lockRow(state, io.ink));
  print(io, ...table(rows, widthOf(io)));
  if (open.length > 0) {
    note(io, `${io.noteInk.red('✗')} ${open.length} of ${states.length} not as accepted.`);
    note(io, 'To look at them and decide: toolcrib tools accept <name>');
  }
  if (unreachable.length > 0) note(io, `${io.noteInk.red('✗')} Not every server could be asked.`);
  return 1;
};

export const toolsVerifyCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(
      tools
        .command('verify')
        .description('fail when a tool from outside is not what was accepted; for CI'),
    ).action(leaving(io, () => withFreshCrib(io, (open) => verify(io, open)))),
    'toolcrib tools verify',
    'toolcrib tools verify --json',
  );
