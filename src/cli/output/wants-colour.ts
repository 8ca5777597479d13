/** Colour only on a terminal; NO_COLOR turns it off everywhere, FORCE_COLOR on. */
import type { Environment } from '../io.ts';

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

export const wantsColour = (
  env: Environment,
  args: readonly string[],
  stream: { readonly isTTY?: boolean },
): boolean => {
  if (isSet(env.NO_COLOR) || args.includes('--no-color')) return false;
  if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
};
