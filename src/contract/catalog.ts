/** The registry as everyone else sees it. */
import type { Quarantine } from './lock.ts';
import type { JsonSchema } from './schema.ts';
import type { Tier, Tool, ToolCategory, ToolSource } from './tool.ts';

export interface ToolFilter {
  readonly source?: readonly ToolSource[];
  readonly category?: readonly ToolCategory[];
  readonly tier?: readonly Tier[];
  /** All of these. */
  readonly tags?: readonly string[];
  /** Capability actions; any of these. */
  readonly capabilities?: readonly string[];
  /** A semantic version range, e.g. `>=1.2 <3`. */
  readonly range?: string;
  /** Only those that are on, or only those that are off. */
  readonly enabled?: boolean;
}

export interface CatalogEntry {
  readonly tool: Tool;
  readonly wireName: string;
  /** False while it is in quarantine, too. */
  readonly enabled: boolean;
  readonly deprecated: boolean;
  /** Given when the tool was renamed because its name was taken. */
  readonly renamedFrom?: string;
  /** Given while nobody has accepted the definition: it cannot be called and no model sees it. */
  readonly quarantine?: Quarantine;
}

export interface SearchQuery {
  readonly text: string;
  readonly rankBy?: 'relevance' | 'popularity' | 'recent' | 'performance';
  readonly fuzzy?: boolean;
  readonly limit?: number;
  readonly filter?: ToolFilter;
}

export interface SearchHit {
  readonly entry: CatalogEntry;
  readonly score: number;
}

export interface DependencyReport {
  /** Every tool in an order in which each comes after what it needs. */
  readonly order: readonly string[];
  readonly missing: readonly { readonly tool: string; readonly needs: string }[];
  /** Each cycle as the names on it. */
  readonly cycles: readonly (readonly string[])[];
  readonly ok: boolean;
}

export type ModelProvider = 'openai' | 'anthropic' | 'gemini' | 'mcp';

export interface ModelTools {
  /** Definitions in the provider's own shape. */
  readonly definitions: readonly Record<string, unknown>[];
  /** What the provider's schema dialect cannot express, tool by tool. */
  readonly losses: readonly {
    readonly tool: string;
    readonly path: string;
    readonly lost: string;
  }[];
}

export interface ToolVersion {
  readonly version: string;
  readonly active: boolean;
  readonly deprecated: boolean;
}

/** What a source brought, what was renamed or refused, and what failed to load. */
export interface LoadReport {
  readonly source: string;
  readonly loaded: number;
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly refused: readonly { readonly tool: string; readonly reason: string }[];
  readonly error?: string;
}

export interface TokenReport {
  readonly total: number;
  readonly bySource: Readonly<Partial<Record<ToolSource, number>>>;
  readonly byTool: readonly { readonly tool: string; readonly tokens: number }[];
}

/** The tools by name and version. Methods that take options refuse unknown names. */
export interface Catalog {
  /**
   * Adds a tool. Throws CONFLICT when the very same name and version is taken, and CONFIG_INVALID
   * when the definition is not usable.
   *
   * @example
   * crib.tools.register(greet);
   */
  register(tool: Tool): void;
  /**
   * Adds all tools, or none when one of them cannot be registered.
   *
   * @example
   * crib.tools.registerAll([greet]);
   */
  registerAll(tools: readonly Tool[]): void;
  /**
   * Removes a version, or all of them when none is named. False when there was none.
   *
   * @example
   * const wasThere = await crib.tools.unregister('greet', '1.0.0');
   */
  unregister(name: string, version?: string): Promise<boolean>;
  /**
   * Replaces a version that exists. Fails with TOOL_NOT_FOUND when it does not.
   *
   * @example
   * await crib.tools.update({ ...greet, description: 'Greets somebody.' });
   */
  update(tool: Tool): Promise<void>;
  /**
   * Finds a tool by name, alias or wire name; the active version unless one is given.
   *
   * @example
   * console.log(crib.tools.get('greet')?.tool.description);
   */
  get(name: string, version?: string): CatalogEntry | undefined;
  /**
   * Says whether a name, alias or wire name leads to a tool.
   *
   * @example
   * if (!crib.tools.has('greet')) crib.tools.register(greet);
   */
  has(name: string): boolean;
  /**
   * Lists the tools that fit the filter; all of them without one.
   *
   * @example
   * for (const { tool } of crib.tools.list({ tier: ['read_only'] })) console.log(tool.name);
   */
  list(filter?: ToolFilter): readonly CatalogEntry[];
  /**
   * Finds tools by words, best first. Leaves out what is in quarantine: models read what is found.
   *
   * @example
   * const [best] = crib.tools.search({ text: 'send email', limit: 5 });
   * console.log(best?.entry.tool.name, best?.score);
   */
  search(query: string | SearchQuery): readonly SearchHit[];
  /**
   * Gives names close to one that was not found; none that is in quarantine.
   *
   * @example
   * console.log(crib.tools.suggest('gret'));
   */
  suggest(name: string): readonly string[];
  /**
   * Lists the versions of a tool; none for a name that nobody knows.
   *
   * @example
   * for (const { version, active } of crib.tools.versions('greet')) console.log(version, active);
   */
  versions(name: string): readonly ToolVersion[];
  /**
   * Makes a version the one that runs when a call names none. Throws TOOL_NOT_FOUND or NOT_FOUND.
   *
   * @example
   * crib.tools.setActive('greet', '1.0.0');
   */
  setActive(name: string, version: string): void;
  /**
   * Marks a version: its calls still run, with a warning.
   *
   * @example
   * crib.tools.deprecate('greet', '1.0.0');
   */
  deprecate(name: string, version: string): void;
  /**
   * Switches a tool on or off. Throws TOOL_DISABLED for one that the configuration switched off.
   *
   * @example
   * crib.tools.setEnabled('greet', false);
   */
  setEnabled(name: string, enabled: boolean): void;
  /**
   * Says what a tool depends on, or what all do: an order to load them in, what is missing, and
   * circles. A tool whose dependencies cannot be used does not run.
   *
   * @example
   * const { ok, missing, cycles } = crib.tools.dependencies('greet');
   */
  dependencies(name?: string): DependencyReport;
  /**
   * Counts the prompt tokens of one definition with a real tokenizer.
   *
   * @example
   * console.log(await crib.tools.tokens('greet'));
   */
  tokens(name: string): Promise<number>;
  /**
   * Counts the prompt tokens of all tools that fit the filter, per source and per tool.
   *
   * @example
   * const { total } = await crib.tools.tokenReport({ source: ['mcp'] });
   */
  tokenReport(filter?: ToolFilter): Promise<TokenReport>;
  /**
   * Gives the definitions as a provider takes them, and what its dialect cannot express.
   *
   * @example
   * const { definitions, losses } = crib.tools.forModel('openai', { tier: ['read_only'] });
   */
  forModel(provider: ModelProvider, filter?: ToolFilter): ModelTools;
  /**
   * Gives the JSON Schema of a tool's input. Throws TOOL_NOT_FOUND.
   *
   * @example
   * console.log(crib.tools.inputSchema('greet'));
   */
  inputSchema(name: string): JsonSchema;
  /**
   * Gives the JSON Schema of a tool's output, where it has one. Throws TOOL_NOT_FOUND.
   *
   * @example
   * console.log(crib.tools.outputSchema('greet'));
   */
  outputSchema(name: string): JsonSchema | undefined;
  /**
   * What each source brought, what was renamed or refused, and what failed to load.
   *
   * @example
   * for (const { source, error } of crib.tools.loads) if (error) console.log(source, error);
   */
  readonly loads: readonly LoadReport[];
}
