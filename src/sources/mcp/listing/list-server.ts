/** What a server offers, as it is kept between runs: definitions are data, read with care. */
import type { Client } from '@modelcontextprotocol/client';
import { isRecord } from '../../../kit/data/is-record.ts';
import { notesOf } from './tidy-listing.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What a server says of its own tool. Kept for people to see, and believed only when it warns. */
export type ToolHints = Readonly<Partial<Record<(typeof HINTS)[number], boolean>>>;

/** The part of a tool's definition that is used. */
export interface ToolListing {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolHints;
  /** What was left out of it because it breaks the protocol. */
  readonly notes?: readonly string[];
}

export interface ServerListing {
  readonly tools: readonly ToolListing[];
  readonly resources: number;
  readonly prompts: number;
}

const MAX_TOOLS = 5000;

const readHints = (value: unknown): ToolHints | undefined => {
  if (!isRecord(value)) return undefined;
  const hints = HINTS.flatMap((name) =>
    Object.hasOwn(value, name) && typeof value[name] === 'boolean' ? [[name, value[name]]] : [],
  );
  return hints.length > 0 ? (Object.fromEntries(hints) as ToolHints) : undefined;
};

/** `undefined` for what is no definition. Takes over the known fields only. */
export const readToolListing = (value: unknown): ToolListing | undefined => {
  if (!isRecord(value)) return undefined;
  const { name, description, inputSchema, outputSchema } = value;
  // Older servers write it among the hints.
  const title = value.title ?? (isRecord(value.annotations) ? value.annotations.title : undefined);
  const annotations = readHints(value.annotations);
  // From the cache they come as they were kept.
  const notes = Array.isArray(value.notes) ? value.notes.map(String) : notesOf(value._meta);
  if (typeof name !== 'string' || !isRecord(inputSchema)) return undefined;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema,
    ...(isRecord(outputSchema) && { outputSchema }),
    ...(annotations && { annotations }),
    ...(notes.length > 0 && { notes }),
  };
};

/** A server of which one part cannot be listed still has its tools. */
const countOf = async (list: () => Promise<readonly unknown[]>): Promise<number> => {
  try {
    return (await list()).length;
  } catch {
    return 0;
  }
};

export const listServer = async (client: Client, timeout: number): Promise<ServerListing> => {
  const can = client.getServerCapabilities() ?? {};
  const options = { timeout, cacheMode: 'refresh' as const };
  const raw = can.tools ? (await client.listTools(undefined, options)).tools : [];
  const [resources, prompts] = await Promise.all([
    countOf(async () =>
      can.resources ? (await client.listResources(undefined, options)).resources : [],
    ),
    countOf(async () =>
      can.prompts ? (await client.listPrompts(undefined, options)).prompts : [],
    ),
  ]);
  const tools = raw.slice(0, MAX_TOOLS).flatMap((tool) => readToolListing(tool) ?? []);
  return { tools, resources, prompts };
};
