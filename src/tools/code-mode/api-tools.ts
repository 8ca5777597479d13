/** The tools as code sees them: those that can be called now, each with a name that is an identifier. */
import type { Catalog, CatalogEntry } from '../../contract/catalog.ts';
import type { JsonSchema } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';

export interface ApiTool {
  /** What code writes: `tools.<identifier>`. */
  readonly identifier: string;
  readonly tool: Tool;
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
}

export type ApiCatalog = Pick<Catalog, 'list' | 'search' | 'inputSchema' | 'outputSchema'>;

/** Code cannot call these: they run code or describe its API. */
const CODE_MODE_TOOLS: ReadonlySet<string> = new Set(['run_code', 'search_api']);

const isCallable = ({ tool, enabled, quarantine }: CatalogEntry): boolean =>
  enabled && quarantine === undefined && !CODE_MODE_TOOLS.has(tool.name);

/** Turns a wire name (letters, digits, `_` and `-`, no digit first) into an identifier. */
const plainOf = ({ wireName }: CatalogEntry): string => wireName.replaceAll('-', '_');

const isAsItIs = (entry: CatalogEntry): boolean => plainOf(entry) === entry.wireName;

/**
 * Gives each tool an identifier. A name that is one already stays; of names that become equal, each later
 * one in alphabetical order gets a number. The same set of tools always gets the same identifiers.
 */
const identifiersOf = (entries: readonly CatalogEntry[]): ReadonlyMap<string, CatalogEntry> => {
  const sorted = [...entries].sort((a, b) => (a.wireName < b.wireName ? -1 : 1));
  const named = new Map(sorted.filter(isAsItIs).map((entry) => [entry.wireName, entry]));
  for (const entry of sorted) {
    if (isAsItIs(entry)) continue;
    let name = plainOf(entry);
    for (let number = 2; named.has(name); number += 1) name = `${plainOf(entry)}_${number}`;
    named.set(name, entry);
  }
  return new Map([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
};

/** Reads a schema; `undefined` when it has no JSON form: such a tool is called without types. */
const schemaOf = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/**
 * Lists every tool that is enabled and accepted, by identifier. Whether a caller may call it is decided
 * for each call.
 */
export const apiTools = (catalog: ApiCatalog): readonly ApiTool[] =>
  [...identifiersOf(catalog.list().filter(isCallable))].map(([identifier, { tool }]) => ({
    identifier,
    tool,
    input: schemaOf(() => catalog.inputSchema(tool.name)) ?? {},
    output: schemaOf(() => catalog.outputSchema(tool.name)),
  }));
