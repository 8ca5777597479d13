/**
 * Tells the redactor the secrets that there are, so that one is known before a tool asks for it: a
 * file that happens to hold one gives nothing away.
 */
import type { Logger } from '../../contract/runtime.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { Redactor } from './redaction.ts';

/** What cannot be listed lists nothing. */
export type ListedSecrets = Required<Secrets>;

/** Makes the redactor learn every value that a source hands out. */
export const learningSecrets = (secrets: Secrets, redactor: Redactor): ListedSecrets => ({
  label: secrets.label ?? 'unnamed',
  keys: async () => (await secrets.keys?.()) ?? [],
  get: async (key) => {
    const value = await secrets.get(key);
    if (value !== undefined) redactor.learn(value);
    return value;
  },
});

export interface LearnFrom {
  readonly sources: readonly Secrets[];
  /** Keys to ask for even where a source does not list them: those that tools declare. */
  readonly keys: Iterable<string>;
  readonly log: Logger;
}

const learnFrom = async (source: ListedSecrets, keys: readonly string[]): Promise<void> => {
  for (const key of new Set([...(await source.keys()), ...keys])) await source.get(key);
};

/**
 * Teaches the redactor the secrets of all sources. One that cannot be read is reported in the log;
 * the others are still learnt.
 */
export const learnAll = async (
  redactor: Redactor,
  { sources, keys, log }: LearnFrom,
): Promise<void> => {
  const keyList = [...keys];
  for (const source of sources) {
    try {
      await learnFrom(learningSecrets(source, redactor), keyList);
    } catch (error) {
      log.error('secrets could not be read; they are not redacted', {
        source: source.label,
        error: reasonOf(error),
      });
    }
  }
};
