/** What the handlers of the protocol are handed. */
import type { Tool } from '@modelcontextprotocol/server';
import type { Caller } from '../../contract/caller.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { Crib } from '../../contract/crib.ts';
import type { FlowInfo } from '../../contract/flow.ts';
import type { CallStates } from './call/call-context.ts';
import type { HeldCalls } from './call/held-calls.ts';
import type { ClientAbilities } from './client-link.ts';
import type { FlowInput } from './flows/flow-input.ts';
import type { PromptCatalog, ResourceCatalog } from './lists/collection.ts';
import type { Sdk } from './load-sdk.ts';
import type { McpSurfaceOptions, SurfaceKind } from './mcp-options.ts';
import type { McpSession } from './session.ts';

/** The tools that a surface lists. */
export interface ListedTools {
  all(): readonly Tool[];
  /** Returns the entry of a listed tool; nothing for other tools. */
  entry(name: string): CatalogEntry | undefined;
}

/** A flow under the name that clients call it by. */
export interface FlowTool {
  readonly name: string;
  readonly flow: FlowInfo;
  readonly input: FlowInput;
}

export interface FlowTools {
  list(caller: Pick<Partial<Caller>, 'tools'>): Promise<readonly Tool[]>;
  /** Finds an offered flow, whether or not this client may start it. */
  find(name: string): Promise<FlowTool | undefined>;
}

/** What all clients of a surface share. */
export interface SurfaceDeps {
  readonly crib: Crib;
  readonly sdk: Sdk;
  readonly options: McpSurfaceOptions;
  readonly kind: SurfaceKind;
  readonly tools: ListedTools;
  /** The flows that are offered as tools; absent where none are. */
  readonly flows: FlowTools | undefined;
  readonly resources: readonly ResourceCatalog[];
  readonly prompts: readonly PromptCatalog[];
  readonly pageSize: number;
  readonly stateKey: Uint8Array;
  /** Calls that wait for answers of clients of the 2026-07-28 protocol. */
  readonly held: HeldCalls;
}

export interface ServerDeps extends SurfaceDeps, ClientAbilities {
  readonly session: McpSession;
  readonly states: CallStates;
  /** `legacy` up to 2025-11-25, `modern` from 2026-07-28 on. */
  readonly era: 'legacy' | 'modern';
  /** Sends a notification that belongs to no request. */
  notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
  /** How to stop following the runs of this client. */
  readonly followed: Set<() => void>;
}
