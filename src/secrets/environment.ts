/** Secrets from the environment: the key is the name of the variable. */
import type { Secrets } from '../contract/secrets.ts';

/** Takes the variables as given, so that only the configuration reads the real environment. */
export const createEnvironmentSecrets = (
  environment: Readonly<Record<string, string | undefined>>,
): Secrets => ({
  get: async (key) => (Object.hasOwn(environment, key) ? environment[key] : undefined),
});
