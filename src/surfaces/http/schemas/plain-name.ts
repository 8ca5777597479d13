/** The name of a token or a person, as it stands in the audit trail. */
import { z } from 'zod';

export const plainName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/i, '1 to 64 letters, digits, ".", "_" or "-".');
