/** What the handlers of the protocol are handed. */
import type { Crib } from '../../contract/crib.ts';
import type { CallContext, CallStates } from './call/call-context.ts';
import type { HeldCalls } from './call/held-calls.ts';
import type { FlowTools } from './flows/flow-tools.ts';
import type { PromptCatalog, ResourceCatalog } from './lists/collection.ts';
import type { ListedTools } from './lists/listed-tools.ts';
import type { Sdk } from './load-sdk.ts';
import type { McpSurfaceOptions, SurfaceKind } from './mcp-options.ts';
import type { McpSession } from './session.ts';

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

export interface ServerDeps extends SurfaceDeps {
  readonly session: McpSession;
  readonly states: CallStates;
  /** `legacy` up to 2025-11-25, `modern` from 2026-07-28 on. */
  readonly era: 'legacy' | 'modern';
  /** Sends a notification that belongs to no request. */
  notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
  /** How to stop following the runs of this client. */
  readonly followed: Set<() => void>;
  /** Returns the capabilities that the client declares. */
  capabilities(ctx: CallContext): Readonly<Record<string, unknown>>;
  /** Tells whether the client can show its user a form. */
  takesForms(ctx: CallContext): boolean;
  /**
   * Tells whether the person behind the client can approve calls; absent where no person may be
   * asked.
   */
  readonly canElicit: ((ctx: CallContext) => boolean) | undefined;
}
