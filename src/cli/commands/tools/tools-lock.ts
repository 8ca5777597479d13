/** `toolcrib tools lock`, `accept` and `verify`: which tools from outside are accepted. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { LockState } from '../../../contract/lock.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, note, print, printDone, printJson, widthOf } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { table } from '../../output/table.ts';
import { localPerson } from '../../session/local-person.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { acceptHeld, assertCanAsk, isHeld, isOpenState, lockFileOf, lockRow } from './lock-page.ts';
import { type FreshCrib, withFreshCrib } from './with-fresh-crib.ts';

interface AcceptOptions {
  readonly yes?: boolean;
}

/** Returns the lock states of the named tools. Fails for an unknown one as `accept` of the lock does. */
const statesOf = async (
  names: readonly string[],
  { tools }: OpenCrib['crib'],
): Promise<readonly LockState[]> => {
  const states = tools.lock.states();
  const byName = names.map((name) => {
    const own = tools.get(name)?.tool.name ?? name;
    return states.filter(({ tool, state }) => tool === own && state !== 'gone');
  });
  const missing = names.find((_name, at) => byName[at]?.length === 0);
  if (missing !== undefined) await tools.lock.accept([missing], localPerson());
  return [...new Set(byName.flat())];
};

const stayInQuarantine = (): ToolFailure =>
  new ToolFailure('USER_CANCELLED', 'The tools stay in quarantine.');

const acceptTools = async (
  io: Io,
  open: OpenCrib,
  { names, yes }: { readonly names: readonly string[]; readonly yes: boolean },
): Promise<number> => {
  const states = await statesOf(names, open.crib);
  const accepted = await acceptHeld(io, open, { held: states.filter(isHeld), yes });
  if (!accepted) throw stayInQuarantine();
  const file = lockFileOf(open, states);
  const entries = accepted.map(({ tool, origin, fingerprint }) => ({ tool, origin, fingerprint }));
  if (io.json) printJson(io, { accepted: entries, file });
  for (const { tool } of io.json ? [] : states) {
    const isNew = accepted.some((entry) => entry.tool === tool);
    print(io, isNew ? `${io.ink.green('✓ Accepted')} ${tool}` : `Accepted already: ${tool}`);
  }
  if (accepted.length > 0) hint(io, `in ${file}`);
  return 0;
};

export const toolsAcceptCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(tools.command('accept <name...>'))
      .option('-y, --yes', 'accept them without being asked')
      .action(
        leaving(io, (names: readonly string[], { yes = false }: AcceptOptions) =>
          withFreshCrib(io, (open) => acceptTools(io, open, { names, yes })),
        ),
      ),
    'toolcrib tools accept github:create_issue',
    'toolcrib tools accept search fetch --yes',
  );

const verify = async (io: Io, { crib, loaded, unreachable }: FreshCrib): Promise<number> => {
  const { lock: mode } = loaded.config.registry;
  const states = crib.tools.lock.states();
  const open = states.filter(isOpenState);
  // A tool whose server could not be asked is not verified.
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
    printDone(io, `${counted(states.length, 'tool')} from outside, as accepted`);
    return 0;
  }
  const rows = open.map((state) => lockRow(state, io.ink));
  print(io, ...table(rows, widthOf(io)));
  if (open.length > 0) {
    note(io, `${io.noteInk.red('✗')} ${open.length} of ${states.length} not as accepted.`);
    note(io, 'To review and accept one: toolcrib tools accept <name>');
  }
  if (unreachable.length > 0) note(io, `${io.noteInk.red('✗')} Not every server could be asked.`);
  return 1;
};

export const toolsVerifyCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(tools.command('verify')).action(
      leaving(io, () => withFreshCrib(io, (open) => verify(io, open))),
    ),
    'toolcrib tools verify',
    'toolcrib tools verify --json',
  );

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
  if (held) note(io, `To review and accept one: toolcrib tools accept ${held.tool}`);
  if (states.some(({ state }) => state === 'gone')) {
    note(io, 'To remove the tools that are gone from the lock: toolcrib tools lock --prune');
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
    if (!accepted) throw stayInQuarantine();
  }
  const { lock: mode } = open.loaded.config.registry;
  if (io.json) printJson(io, { mode, file: lockFileOf(open, states), tools: lock.states() });
  else if (mode === 'off') print(io, 'The lock is off: registry.lock.');
  else show(io, lock.states());
  return 0;
};

export const toolsLockCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(tools.command('lock'))
      .option('--accept-all', 'review and accept every tool in quarantine')
      .option('--prune', 'remove tools that are gone from the lock')
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
