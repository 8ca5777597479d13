/** Types of values that several sections share, with their bounds and error messages. */
import { z } from 'zod';
import { TOOL_NAME } from '../../contract/tool-name.ts';

/** Node fires timers with a longer delay at once. */
export const MAX_TIMER_MS = 2_147_483_647;

export const TOOL_NAME_RULE =
  'a tool name is 1 to 128 letters, digits, "_", ".", ":" or "-" and starts with a letter or digit';

export const toolName = z.string().regex(TOOL_NAME, TOOL_NAME_RULE);

export const milliseconds = z.int().min(1).max(MAX_TIMER_MS);

export const positiveCount = z.int().min(1);

export const usd = z.number().min(0);

export const nonEmptyText = z.string().min(1);

/** The name of an organisation that publishes a catalog. */
export const organisation = z
  .string()
  .regex(/^[a-z0-9][a-z0-9.-]{0,62}$/, '1 to 63 lower-case letters, digits, "." or "-"');

/** Accepts addresses without credentials: configuration files are copied, printed and committed. */
export const address = (protocols: readonly string[]) =>
  z.string().refine((text) => isAddress(text, protocols), {
    error: `expected an address that starts with ${protocols.map((name) => `${name}://`).join(' or ')} and holds no user name or password`,
  });

const isAddress = (text: string, protocols: readonly string[]): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const isAllowed = protocols.includes(protocol.slice(0, -1));
  return isAllowed && hostname !== '' && username === '' && password === '';
};

/**
 * Marks a check that needs the merged configuration, e.g. that exactly one of two keys is set: they may
 * be in different files.
 */
export const WHOLE = { whole: true } as const;

/** Runs a check of a mapping although one of its keys has a fault, so that all faults are reported at once. */
export const ALSO_WHEN_FAULTY = {
  when: ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null,
};
