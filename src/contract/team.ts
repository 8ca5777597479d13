/** The catalog of a team: what is proposed, reviewed and published, and the bundles that clients sync. */
import type { CallerNames } from './caller.ts';

/** A tool as a YAML or TypeScript file, as in `.toolcrib/tools`. Its code runs in a sandbox. */
export interface TeamTool {
  readonly kind: 'tool';
  /** The name of the file, e.g. `lint.yml`. */
  readonly name: string;
  readonly text: string;
}

/** An API that clients open as if their user had configured it. */
export interface TeamSource {
  readonly kind: 'source';
  readonly name: string;
  readonly type: 'openapi' | 'graphql' | 'grpc' | 'websocket';
  /** As `sources.<type>.<name>` takes them, without credentials, tiers and labels. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A rule of policy. It asks or denies; one that allows cannot be published. */
export interface TeamRule {
  readonly kind: 'rule';
  readonly name: string;
  readonly rule: Readonly<Record<string, unknown>>;
}

/** A tool that clients cannot switch off. */
export interface TeamEnforced {
  readonly kind: 'enforce';
  readonly name: string;
}

/** A tool that no client runs. */
export interface TeamRevoked {
  readonly kind: 'revoke';
  readonly name: string;
}

/** Clients load no custom tools, MCP servers and APIs of their own, from their next start on. */
export interface TeamNoLocalTools {
  readonly kind: 'no-local-tools';
  readonly name: 'all';
}

export type TeamEntry =
  | TeamTool
  | TeamSource
  | TeamRule
  | TeamEnforced
  | TeamRevoked
  | TeamNoLocalTools;

/** Adds or replaces the entry of the same kind and name, or removes it. */
export type TeamChange =
  | { readonly action: 'put'; readonly entry: TeamEntry }
  | { readonly action: 'remove'; readonly kind: TeamEntry['kind']; readonly name: string };

export const PROPOSAL_STATES = ['open', 'approved', 'rejected', 'published'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

export interface TeamDecision {
  readonly approve: boolean;
  /** The digest of the proposal that was looked at. */
  readonly digest: string;
  readonly note?: string | undefined;
}

export interface TeamProposal {
  readonly id: string;
  readonly change: TeamChange;
  /** SHA-256, hex, of the change: what a decision is bound to. */
  readonly digest: string;
  readonly state: ProposalState;
  readonly proposedBy: string;
  /** Milliseconds since the epoch. */
  readonly proposedAt: number;
  readonly note?: string;
  readonly decidedBy?: string;
  readonly decidedAt?: number;
  readonly decisionNote?: string;
  /** The bundle that it was published with. */
  readonly serial?: number;
}

/** A proposal as a reviewer reads it. */
export interface TeamReview extends TeamProposal {
  /** Unified, against what is published now; empty when it would change nothing. */
  readonly diff: string;
}

export const BUNDLE_FORMAT = 'toolcrib team bundle 1';

/** What is in force for the clients of a team, as it is signed. */
export interface TeamBundle {
  readonly format: typeof BUNDLE_FORMAT;
  readonly org: string;
  /** Higher with every bundle, also with one that restores older content. */
  readonly serial: number;
  readonly issuedAt: number;
  readonly expiresAt?: number;
  /** The digest of the bundle before; empty for the first. */
  readonly previous: string;
  /** By kind and name. */
  readonly entries: readonly TeamEntry[];
}

/** Passes the signing of bundles on to another key; signed by the key before. */
export interface KeyHandover {
  readonly from: string;
  readonly to: string;
  readonly at: number;
  readonly signature: string;
}

export interface SignedBundle {
  /** The canonical JSON of a `TeamBundle`: the very text that is signed. */
  readonly bundle: string;
  /** Ed25519 public key, base64 of its 32 raw bytes. */
  readonly publicKey: string;
  readonly signature: string;
  /** From the first key to the one that signed, oldest first. */
  readonly handovers: readonly KeyHandover[];
}

/** A bundle of the history. */
export interface PublishedBundle {
  readonly serial: number;
  readonly digest: string;
  readonly previous: string;
  readonly entries: number;
  readonly publishedBy: string;
  readonly publishedAt: number;
  readonly expiresAt?: number;
  readonly note?: string;
  /** The ids of the proposals that came with it. */
  readonly proposals: readonly string[];
  /** The serial whose content was restored. */
  readonly restored?: number;
}

export interface TeamKey {
  readonly org: string;
  readonly publicKey: string;
  /** How people compare keys: groups of hexadecimal digits. */
  readonly fingerprint: string;
}

export interface TeamOverview extends TeamKey {
  /** 0 while nothing was published. */
  readonly serial: number;
  readonly entries: readonly TeamEntry[];
  readonly open: number;
  readonly approved: number;
}

/** The publisher's side: who did what comes from the caller that a surface has proven. */
export interface TeamCatalog {
  key(): Promise<TeamKey>;
  overview(): Promise<TeamOverview>;
  /** Lists proposals, newest first. */
  proposals(state?: ProposalState): Promise<readonly TeamProposal[]>;
  /** Reads a proposal with its difference. Rejects with NOT_FOUND. */
  review(id: string): Promise<TeamReview>;
  /** Adds a proposal. Rejects with VALIDATION_ERROR for an entry that no client may load, CONFLICT for too many. */
  propose(change: unknown, note: string | undefined, by: CallerNames): Promise<TeamProposal>;
  /**
   * Decides a proposal. Rejects with PERMISSION_DENIED for its proposer, CONFLICT for one that is
   * decided or different.
   */
  decide(id: string, decision: TeamDecision, by: CallerNames): Promise<TeamProposal>;
  /**
   * Publishes what is approved. Rejects with CONFLICT when nothing is, unless `renew` asks for a bundle
   * with the same content.
   */
  publish(
    options: { readonly note?: string | undefined; readonly renew?: boolean | undefined },
    by: CallerNames,
  ): Promise<PublishedBundle>;
  /** Publishes the content of an older bundle under a new serial. */
  rollBack(serial: number, note: string | undefined, by: CallerNames): Promise<PublishedBundle>;
  /** Lists the published bundles, newest first. */
  history(): Promise<readonly PublishedBundle[]>;
  /** Reads the bundle in force; nothing while none was published. */
  bundle(): Promise<SignedBundle | undefined>;
}

/** What a client has of the catalog. */
export interface TeamState {
  readonly org: string;
  readonly url: string;
  /** The verified bundle; nothing where there is none, and then no call is let through. */
  readonly bundle?: TeamBundle;
  /** It has expired, and so have the days of grace: its tools are removed, its rules stay. */
  readonly isExpired: boolean;
  readonly digest?: string;
  readonly fingerprint: string;
  /** When the server last answered with a good bundle. */
  readonly syncedAt?: number;
  /** Why the last sync, or the last reading of the files, failed. */
  readonly fault?: string;
}

/** The client's side of a catalog. */
export interface TeamClient {
  state(): TeamState;
  /**
   * Asks the server for its bundle. Rejects with the reason; the last good bundle stays in force. Resolves
   * to whether another bundle is in force now.
   */
  sync(signal: AbortSignal): Promise<boolean>;
  onChange(changed: () => void): () => void;
}
