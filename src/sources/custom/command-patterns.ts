/**
 * The allowlist of a custom tool as patterns of words. There `yarn test*` means "whatever begins like
 * this"; as words it is the program `yarn`, a word that begins with `test`, and any arguments.
 */

const PLAIN = /^[\x21-\x7e]+$/;

/** `undefined` for one that names no program: it would allow every program there is. */
export const commandPattern = (text: string): string | undefined => {
  const words = text.split(' ').filter((word) => word !== '');
  const [program = '', ...rest] = words;
  // A program is named in full: `vitest*` must not allow a program called vitest-evil.
  const named = rest.length === 0 ? program.replace(/\*+$/, '') : program;
  if (named === '' || named.includes('*') || !words.every((word) => PLAIN.test(word))) {
    return undefined;
  }
  const last = words.at(-1) ?? '';
  const open = last.endsWith('*') && last !== '*' && last !== '**';
  return [named, ...rest, ...(open ? ['**'] : [])].join(' ');
};
