/** What all lists share: how they are asked for, and how they answer. */
import { z } from 'zod';

const LIMIT = 50;
const MOST = 200;

export const cursorSchema = z.string().min(1).max(500);

export const pageQuery = {
  cursor: cursorSchema.optional(),
  limit: z.coerce.number().int().min(1).max(MOST).default(LIMIT),
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

export const nameParams = z.object({ name: nameSchema });
export const idParams = z.object({ id: nameSchema });
