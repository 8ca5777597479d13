/** The name a model sees: at most 64 letters, digits, `_` and `-`, the same on every start. */

/** Loaded when first asked for: it would slow the start of every command. */
const crypto = () => process.getBuiltinModule('node:crypto');

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** True for a name that every model provider takes as it is. */
export const isWireName = (name: string): boolean => /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name);

/**
 * A name that is fine stays as it is. One that has to be cut, or that another tool would then share,
 * ends in a hash of the full name, so that it does not depend on who came first more than it must.
 */
export const wireName = (name: string, taken: (wire: string) => boolean): string => {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?![a-zA-Z_])/, '_');
  if (plain.length <= MAX_LENGTH && !taken(plain)) return plain;
  for (let attempt = 0; ; attempt += 1) {
    const hashed = withHash(plain, attempt === 0 ? name : `${name}#${attempt}`);
    if (!taken(hashed)) return hashed;
  }
};

const withHash = (plain: string, text: string): string => {
  const hash = crypto().createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
};
