/** Puts secrets into configured values, where these refer to them as `${secret:KEY}`. */
import { ToolFailure } from '../../contract/errors.ts';

const REFERENCE = /\$\{secret:([A-Za-z0-9_.:-]+)\}/g;

/** Logins of servers are kept among the secrets; a value that names one would hand it to another. */
const RESERVED = /^mcp\.oauth:/i;

const assertFree = (key: string): void => {
  if (!RESERVED.test(key)) return;
  throw new ToolFailure('CONFIG_INVALID', 'A server may not be given the login of a server.', {
    suggestions: ['Log in with `toolcrib servers login`, or keep the value as another secret.'],
  });
};

/** The keys that a set of values refers to. */
export const secretKeysOf = (values: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(
    Object.values(values).flatMap((value) =>
      [...value.matchAll(REFERENCE)].map(([, key]) => key as string),
    ),
  ),
];

/**
 * Fails with AUTH_MISSING for a secret that is not there: a server must not start half configured.
 * Fails with CONFIG_INVALID for one that is not for servers.
 */
export const resolveSecrets = async (
  values: Readonly<Record<string, string>>,
  secret: (key: string) => Promise<string | undefined>,
): Promise<Record<string, string>> => {
  const known = new Map<string, string>();
  for (const key of secretKeysOf(values)) {
    assertFree(key);
    const value = await secret(key);
    if (value === undefined) {
      throw new ToolFailure(
        'AUTH_MISSING',
        `The server needs the secret ${key}, which is not set.`,
        {
          suggestions: [`Set it with: toolcrib secrets set ${key}`],
        },
      );
    }
    known.set(key, value);
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replaceAll(REFERENCE, (_, key: string) => known.get(key) ?? ''),
    ]),
  );
};
