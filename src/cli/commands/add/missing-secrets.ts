/** Asks for the secrets that a new source needs and that nobody has stored yet. */
import type { SourcePreview } from '../../../crib/sources/preview-source.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { canAsk } from '../../input/confirm.ts';
import { advise, hint, type Io } from '../../io.ts';
import { openVaultOf, readSecretValue } from '../secrets/secrets-deps.ts';

const noteMissing = (io: Io, keys: readonly string[]): void => {
  for (const key of keys) {
    const command = `toolcrib secrets set ${visibleText(key)}`;
    advise(io, `Store its secret: ${command}`);
  }
};

/**
 * Asks for the missing secrets and stores them; without a terminal it prints the commands to type.
 * Returns the keys that are still missing.
 */
export const storeMissing = async (
  io: Io,
  secrets: SourcePreview['secrets'],
): Promise<readonly string[]> => {
  const missing = secrets.filter(({ isSet }) => !isSet).map(({ key }) => key);
  if (missing.length === 0) return [];
  if (io.json || !canAsk(io)) {
    if (!io.json) noteMissing(io, missing);
    return missing;
  }
  const vault = await openVaultOf(io);
  const left: string[] = [];
  for (const key of missing) {
    // An empty answer skips the secret: the source is added, and its calls name what is missing.
    const value = await readSecretValue(io, key).catch(() => undefined);
    if (value === undefined) left.push(key);
    else {
      await vault.set(key, value);
      hint(io, `stored as ${visibleText(key)} in ${vault.label}`);
    }
  }
  noteMissing(io, left);
  return left;
};
