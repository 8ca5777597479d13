/** A tool from outside as the person sees it who is to accept it: the difference, then what is odd. */
import { join } from 'node:path';
import type { Colors } from 'picocolors/types.js';
import type { LockState } from '../../../contract/lock.ts';
import { isUserServer } from '../../../crib/project/user-server.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Cell } from '../../output/table.ts';
import type { OpenCrib } from '../../session/open-crib.ts';

const SAID: Readonly<Record<LockState['state'], string>> = {
  accepted: 'accepted as it is',
  new: 'nobody has accepted it yet',
  changed: 'not what was accepted',
  flagged: 'something in it looks like an attack',
  gone: 'in the lock, and its source has it no longer',
};

/** Everything that keeps the lock from being what the sources bring. */
export const isOpenState = ({ state }: LockState): boolean => state !== 'accepted';

/** Those that a person can accept. */
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
    { text: tool, paint: ink.bold },
    { text: origin, paint: ink.cyan },
    { text: `${SAID[state]}${odd}`, paint: ink.dim },
  ];
};

const diffLine = (line: string, ink: Colors): string => {
  if (line.startsWith('@@')) return ink.cyan(line);
  if (line.startsWith('+')) return ink.green(line);
  return line.startsWith('-') ? ink.red(line) : line;
};

/** The lock has made every character of the difference and the findings visible already. */
export const lockPage = (lockState: LockState, ink: Colors): readonly string[] => {
  const { tool, origin, state, findings, diff } = lockState;
  return [
    `${ink.bold(visibleText(tool))} of ${visibleText(origin)}: ${SAID[state]}`,
    ...diff.split('\n').map((line) => `  ${diffLine(line, ink)}`),
    ...findings.map(
      ({ kind, path, message }) =>
        `  ${kind === 'suspicious' ? ink.yellow('?') : ink.red('!')} ${path === '' ? '' : `${visibleText(path)}: `}${message}`,
    ),
    '',
  ];
};

/** Where acceptances of these tools are written: in the user's lock where all are of the user's own servers. */
export const lockFileOf = (
  { loaded }: Pick<OpenCrib, 'loaded'>,
  tools: readonly Pick<LockState, 'origin'>[],
): string => {
  const { trust, userDir } = loaded;
  const isUsers = tools.length > 0 && tools.every(({ origin }) => isUserServer(loaded, origin));
  return !isUsers && trust.inForce && trust.projectDir !== undefined
    ? join(trust.projectDir, '.toolcrib', 'tools.lock')
    : join(userDir, 'tools.lock');
};
