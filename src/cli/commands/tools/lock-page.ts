/**
 * Shows tools from outside to the person who is asked to accept them: the difference, then suspicious
 * findings.
 */
import { join } from 'node:path';
import type { Colors } from 'picocolors/types.js';
import type { Catalog } from '../../../contract/catalog.ts';
import type { LockEntry, LockState } from '../../../contract/lock.ts';
import { isUserPackage } from '../../../crib/project/packages-option.ts';
import { isUserServer } from '../../../crib/project/user-server.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { canAsk, confirm, noTerminal } from '../../input/confirm.ts';
import { type Io, note } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import type { Cell } from '../../output/table.ts';
import { localPerson } from '../../session/local-person.ts';
import type { OpenCrib } from '../../session/open-crib.ts';

/** Throws when nobody can be asked. Call it before waiting for anything. */
export const assertCanAsk = (io: Io): void => {
  if (!io.json && canAsk(io)) return;
  throw noTerminal('Read the differences, then add --yes to accept them.');
};

const confirmHeld = async (io: Io, held: readonly LockState[]): Promise<boolean> => {
  assertCanAsk(io);
  const flagged = held.filter(({ state }) => state === 'flagged').length;
  const flagText = flagged === 0 ? '' : `, ${flagged} of them flagged`;
  return confirm(io, `Accept ${counted(held.length, 'tool')} as shown${flagText}?`);
};

/** Above this number, new tools are shown in a line each, by source. */
const MAX_FULL_PAGES = 3;
const MAX_LINE_CHARS = 100;

const firstLine = (tools: Catalog, name: string): string => {
  const [line = ''] = (tools.get(name)?.tool.description ?? '').trim().split('\n', 1);
  return visibleText(line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line);
};

/** Shows changed and flagged tools in full; many new ones are summed up. */
const heldPages = (tools: Catalog, held: readonly LockState[], ink: Colors): readonly string[] => {
  const isPlain = ({ state, findings }: LockState): boolean =>
    state === 'new' && findings.length === 0;
  const plain = held.filter(isPlain);
  const inFull = plain.length > MAX_FULL_PAGES ? held.filter((state) => !isPlain(state)) : held;
  const summed = inFull === held ? [] : plain;
  const origins = [...new Set(summed.map(({ origin }) => origin))];
  return [
    ...inFull.flatMap((state) => lockPage(state, ink)),
    ...origins.flatMap((origin) => {
      const names = summed.filter((state) => state.origin === origin).map(({ tool }) => tool);
      return [
        `${ink.bold(visibleText(origin))}: ${counted(names.length, 'new tool')}, nothing odd in them`,
        ...names.map((name) => `  ${visibleText(name)}  ${ink.dim(firstLine(tools, name))}`),
        '',
      ];
    }),
    ...(summed.length > 0 ? ['To read one in full: toolcrib tools accept <name>'] : []),
  ];
};

/** Shows the tools, asks, and accepts them; `undefined` when the person declines. */
export const acceptHeld = async (
  io: Io,
  { crib }: OpenCrib,
  { held, yes }: { readonly held: readonly LockState[]; readonly yes: boolean },
): Promise<readonly LockEntry[] | undefined> => {
  if (!io.json) note(io, ...heldPages(crib.tools, held, io.noteInk));
  if (held.length > 0 && !yes && !(await confirmHeld(io, held))) return undefined;
  // Accepts by fingerprint: exactly what was shown, not what may have changed since.
  return crib.tools.lock.accept(
    held.map(({ tool, fingerprint }) => ({ tool, fingerprint })),
    localPerson(),
  );
};

const MEANINGS: Readonly<Record<LockState['state'], string>> = {
  accepted: 'accepted as it is',
  new: 'nobody has accepted it yet',
  changed: 'not what was accepted',
  flagged: 'something in it looks like an attack',
  gone: 'in the lock, but no longer at its source',
};

/** Tells whether the lock and the source differ. */
export const isOpenState = ({ state }: LockState): boolean => state !== 'accepted';

/** Tells whether a person can accept the tool. */
export const isHeld = ({ state }: LockState): boolean => state !== 'accepted' && state !== 'gone';

const painterOf = (state: LockState['state'], ink: Colors): Colors['red'] => {
  if (state === 'accepted') return ink.green;
  return state === 'flagged' ? ink.red : ink.yellow;
};

export const lockRow = (lockState: LockState, ink: Colors): readonly Cell[] => {
  const { tool, origin, state, findings } = lockState;
  const odd =
    findings.length === 0 ? '' : ` (${findings.map(({ message }) => message).join('; ')})`;
  return [
    { text: state, paint: painterOf(state, ink) },
    { text: tool, paint: ink.bold, whole: true },
    { text: origin, paint: ink.cyan },
    { text: `${MEANINGS[state]}${odd}`, paint: ink.dim },
  ];
};

const diffLine = (line: string, ink: Colors): string => {
  if (line.startsWith('@@')) return ink.cyan(line);
  if (line.startsWith('+')) return ink.green(line);
  return line.startsWith('-') ? ink.red(line) : line;
};

/** Shows one tool in full. The lock has already made every character of diff and findings visible. */
const lockPage = (lockState: LockState, ink: Colors): readonly string[] => {
  const { tool, origin, state, findings, diff } = lockState;
  return [
    `${ink.bold(visibleText(tool))} of ${visibleText(origin)}: ${MEANINGS[state]}`,
    ...diff.split('\n').map((line) => `  ${diffLine(line, ink)}`),
    ...findings.map(
      ({ kind, path, message }) =>
        `  ${kind === 'suspicious' ? ink.yellow('?') : ink.red('!')} ${path === '' ? '' : `${visibleText(path)}: `}${message}`,
    ),
    '',
  ];
};

/** Finds the lock file for these tools: the user's when all belong to the user's own servers. */
export const lockFileOf = (
  { loaded }: Pick<OpenCrib, 'loaded'>,
  tools: readonly Pick<LockState, 'origin'>[],
): string => {
  const { trust, userDir } = loaded;
  const isUsers =
    tools.length > 0 &&
    tools.every(({ origin }) => isUserServer(loaded, origin) || isUserPackage(loaded, origin));
  return !isUsers && trust.inForce && trust.projectDir !== undefined
    ? join(trust.projectDir, '.toolcrib', 'tools.lock')
    : join(userDir, 'tools.lock');
};
