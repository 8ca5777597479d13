/** Schemas that many routes share: names, times, flags, and the query and answer of a list. */
import { z } from 'zod';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export const pageQuery = {
  cursor: z.string().min(1).max(500).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
};

export const listOf = (item: z.ZodType) =>
  z.object({ items: z.array(item), next: z.string().optional() });

/** Milliseconds since the epoch, or ISO 8601. */
export const timeSchema = z
  .string()
  .max(40)
  .transform((text, context) => {
    const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
    if (Number.isSafeInteger(at)) return at;
    context.addIssue({ code: 'custom', message: 'Milliseconds since the epoch, or ISO 8601.' });
    return z.NEVER;
  });

export const flagSchema = z.enum(['true', 'false']).transform((text) => text === 'true');

export const nameSchema = z.string().min(1).max(256);

/** The name of a token or a person, as the audit trail shows it. */
export const plainName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, '1 to 64 letters, digits, ".", "_" or "-".');

/** The name of a server or source in the configuration. */
export const configuredName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, '1 to 64 letters, digits, "_" or "-".');

export const nameParams = z.object({ name: nameSchema });
export const idParams = z.object({ id: nameSchema });
