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

export interface Catalog {
  /** Throws when the very same name and version is taken, or the definition is not usable. */
  register(tool: Tool): void;
  registerAll(tools: readonly Tool[]): void;
  /** False when there was none. Without a version, all of them. */
  unregister(name: string, version?: string): Promise<boolean>;
  /** Replaces a version that exists. Throws when it does not. */
  update(tool: Tool): Promise<void>;
  /** By name, alias or wire name; the active version unless one is given. */
  get(name: string, version?: string): CatalogEntry | undefined;
  has(name: string): boolean;
  list(filter?: ToolFilter): readonly CatalogEntry[];
  /** Leaves out what is in quarantine: models read what is found. */
  search(query: string | SearchQuery): readonly SearchHit[];
  /** Names close to one that was not found; none that is in quarantine. */
  suggest(name: string): readonly string[];
  versions(name: string): readonly ToolVersion[];
  setActive(name: string, version: string): void;
  deprecate(name: string, version: string): void;
  setEnabled(name: string, enabled: boolean): void;
  dependencies(name?: string): DependencyReport;
  /** Prompt tokens of one definition, counted by a real tokenizer. */
  tokens(name: string): Promise<number>;
  tokenReport(filter?: ToolFilter): Promise<TokenReport>;
  forModel(provider: ModelProvider, filter?: ToolFilter): ModelTools;
  inputSchema(name: string): JsonSchema;
  outputSchema(name: string): JsonSchema | undefined;
  readonly loads: readonly LoadReport[];
}
