/**
 * Judges the variables that are set for one command. All but a few are refused: too many variables
 * name a program, a library or a configuration file that the command would load.
 */
import { refuse } from './refusal.ts';
import type { Token } from './token.ts';

const WORD = /^[\w.+-]*$/;
const HARMLESS: Readonly<Record<string, RegExp>> = {
  CI: WORD,
  NO_COLOR: WORD,
  FORCE_COLOR: WORD,
  LC_ALL: WORD,
  LANG: WORD,
  NODE_ENV: WORD,
  TZ: /^[A-Za-z]+(?:[/_+-][A-Za-z0-9]+)*$/,
};

export const judgeVariable = (name: string, value: readonly Token[]): void => {
  const shape = Object.hasOwn(HARMLESS, name) ? HARMLESS[name] : undefined;
  if (!value.every(({ kind, text }) => kind === 'static' && shape?.test(text))) {
    refuse(
      'A variable is set that may change what a program loads or runs.',
      `Leave it out. Harmless ones are: ${Object.keys(HARMLESS).join(', ')}.`,
    );
  }
};
