/** Stores a login: one secret for each server, bound to the address that it was made for. */
import { z } from 'zod';
import type { SecretVault } from '../../../contract/secrets.ts';

const metadataShape = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  response_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  revocation_endpoint: z.string().optional(),
});

const recordShape = z.strictObject({
  url: z.string(),
  authorizationServer: z.string(),
  resource: z.string().optional(),
  metadata: metadataShape,
  client: z.strictObject({ id: z.string(), secret: z.string().optional() }),
  redirectPort: z.int().min(1).max(65_535),
  tokens: z
    .strictObject({
      access: z.string().min(1),
      refresh: z.string().optional(),
      scope: z.string().optional(),
      /** When they were issued, in milliseconds since the epoch. */
      since: z.number(),
      expiresAt: z.number().optional(),
    })
    .optional(),
  /** Why a person has to log in again. */
  trouble: z.string().optional(),
});

export type AuthRecord = z.output<typeof recordShape>;

/** Gives the name of the secret of a server. */
const recordKey = (name: string): string => `mcp.oauth:${name}`;

export interface RecordBook {
  /** Returns `undefined` when there is none, it is malformed, or it is for another address. */
  read(): Promise<AuthRecord | undefined>;
  write(record: AuthRecord): Promise<void>;
  /** Removes the record; false when there was none. */
  remove(): Promise<boolean>;
}

const parse = (text: string): AuthRecord | undefined => {
  try {
    const { success, data } = recordShape.safeParse(JSON.parse(text));
    return success ? data : undefined;
  } catch {
    return undefined;
  }
};

export const openRecordBook = (
  secrets: SecretVault,
  { name, url }: { readonly name: string; readonly url: string },
): RecordBook => ({
  read: async () => {
    const text = await secrets.get(recordKey(name));
    const record = text === undefined ? undefined : parse(text);
    // A token that was given for one address is never sent to another one.
    return record?.url === url ? record : undefined;
  },
  write: (record) => secrets.set(recordKey(name), JSON.stringify(record)),
  remove: () => secrets.remove(recordKey(name)),
});
