/** Replaces references to secrets, `${secret:KEY}`, in configured values. */
import { ToolFailure } from '../../contract/errors.ts';

const REFERENCE = /\$\{secret:([A-Za-z0-9_.:-]+)\}/g;

/** Logins of servers are stored as secrets; a value must not pass the login of one server to another. */
const RESERVED = /^mcp\.oauth:/i;

const assertFree = (key: string): void => {
  if (!RESERVED.test(key)) return;
  throw new ToolFailure('CONFIG_INVALID', 'A server may not be given the login of a server.', {
    suggestions: ['Log in with `toolcrib servers login`, or keep the value as another secret.'],
  });
};

/** Lists the keys that a set of values refers to. */
export const secretKeysOf = (values: Readonly<Record<string, string>>): readonly string[] => [
  ...new Set(
    Object.values(values).flatMap((value) =>
      [...value.matchAll(REFERENCE)].map(([, key]) => key as string),
    ),
  ),
];

/**
 * Fails with AUTH_MISSING for a secret that is not set: a server must not start half configured. Fails
 * with CONFIG_INVALID for a reserved one.
 */
export const resolveSecrets = async (
  values: Readonly<Record<string, string>>,
  secret: (key: string) => Promise<string | undefined>,
): Promise<Record<string, string>> => {
  const secrets = new Map<string, string>();
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
    secrets.set(key, value);
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value.replaceAll(REFERENCE, (_, key: string) => secrets.get(key) ?? ''),
    ]),
  );
};
