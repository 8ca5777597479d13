/** Kinds of value that several sections share, each with its bounds and the words of its error. */
import { z } from 'zod';

/** Timers of Node fire at once when they are given more than this. */
export const MAX_TIMER_MS = 2_147_483_647;

/** The same rule as `defineTool`; a test holds the two together. */
export const TOOL_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;

export const TOOL_NAME_RULE =
  'a tool name is 1 to 128 letters, digits, "_", ".", ":" or "-" and starts with a letter or digit';

/** A name that may stand as a key under `tools`. */
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);

export const toolName = z.string().regex(TOOL_NAME, TOOL_NAME_RULE);

export const milliseconds = z.int().min(1).max(MAX_TIMER_MS);

export const positiveCount = z.int().min(1);

export const usd = z.number().min(0);

/** Text that must say something, such as a path. */
export const nonEmptyText = z.string().min(1);

/** An address without credentials in it: files are copied, printed and committed. */
export const address = (protocols: readonly string[]) =>
  z.string().refine((text) => isAddress(text, protocols), {
    error: `expected an address that starts with ${protocols.map((name) => `${name}://`).join(' or ')} and holds no user name or password`,
  });

const isAddress = (text: string, protocols: readonly string[]): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  const known = protocols.includes(protocol.slice(0, -1));
  return known && hostname !== '' && username === '' && password === '';
};

/**
 * Marks a check that only makes sense on the merged configuration, e.g. that of two keys exactly one
 * is set: one file may hold the first half and another the second.
 */
export const WHOLE = { whole: true } as const;

/** Lets a check of a mapping run although a key of it is at fault, so that all is said at once. */
export const ALSO_WHEN_FAULTY = {
  when: ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null,
};
