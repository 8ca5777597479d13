/** Secrets from the environment: the key is the name of the variable. It can only be read. */
import type { Secrets } from '../contract/secrets.ts';

/** Names that say they hold a credential. `PWD` and the like are folders, so it is the last word that counts. */
const CREDENTIAL =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|(?:ACCESS|AUTH|ACCOUNT|ENCRYPTION|MASTER|PRIVATE|SECRET|SERVICE|SIGNING)_KEY)$|._(?:PWD|AUTH)$/i;
/** `GOOGLE_APPLICATION_CREDENTIALS` and many a `…_SECRET` name the file that holds it. */
const FOLDER_OR_FILE = /^(?:\/|\.{1,2}\/|~\/|[A-Za-z]:\\)/;
/** Settings about credentials, not credentials: a text full of them must stay readable. */
const SWITCH = /^(?:true|false|yes|no|on|off|none|null|enabled|disabled|required|optional)$/i;

const isCredential = (name: string, value: string | undefined): boolean =>
  value !== undefined &&
  value.trim() !== '' &&
  CREDENTIAL.test(name) &&
  !FOLDER_OR_FILE.test(value) &&
  !SWITCH.test(value.trim());

/** Takes the variables as given, so that only the configuration reads the real environment. */
export const createEnvironmentSecrets = (
  environment: Readonly<Record<string, string | undefined>>,
): Secrets => ({
  label: 'environment',
  get: async (key) => (Object.hasOwn(environment, key) ? environment[key] : undefined),
  /** Not every variable: only names that look like a credential's. */
  keys: async () =>
    Object.keys(environment).filter((name) => isCredential(name, environment[name])),
});
