/** The catalog of a team as the HTTP API sends it. */
export const ENTRY_KINDS = [
  'tool',
  'source',
  'rule',
  'enforce',
  'revoke',
  'no-local-tools',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

export interface CatalogEntry {
  readonly kind: string;
  readonly name: string;
  /** The file of a tool. */
  readonly text?: string;
  /** The kind of an API, and its settings. */
  readonly type?: string;
  readonly settings?: unknown;
  readonly rule?: unknown;
}

export type CatalogChange =
  | { readonly action: 'put'; readonly entry: CatalogEntry }
  | { readonly action: 'remove'; readonly kind: string; readonly name: string };

export const PROPOSAL_STATES = ['open', 'approved', 'rejected', 'published'] as const;
export type ProposalState = (typeof PROPOSAL_STATES)[number];

export interface Proposal {
  readonly id: string;
  readonly change: CatalogChange;
  readonly digest: string;
  readonly state: ProposalState;
  readonly proposedBy: string;
  readonly proposedAt: number;
  readonly note?: string;
  readonly decidedBy?: string;
  readonly decidedAt?: number;
  readonly decisionNote?: string;
  readonly serial?: number;
}

export interface Review extends Proposal {
  /** Against what is published now; empty when it would change nothing. */
  readonly diff: string;
}

export interface Overview {
  readonly org: string;
  readonly fingerprint: string;
  readonly serial: number;
  readonly entries: readonly CatalogEntry[];
  readonly open: number;
  readonly approved: number;
}

export interface PublishedBundle {
  readonly serial: number;
  readonly digest: string;
  readonly entries: number;
  readonly publishedBy: string;
  readonly publishedAt: number;
  readonly expiresAt?: number;
  readonly note?: string;
  readonly proposals: readonly string[];
  readonly restored?: number;
}

export interface Member {
  readonly org: string;
  readonly url: string;
  readonly fingerprint: string;
  /** The name of the source that syncs it. */
  readonly source: string;
  readonly isExpired: boolean;
  readonly serial?: number;
  readonly issuedAt?: number;
  readonly expiresAt?: number;
  readonly syncedAt?: number;
  readonly fault?: string;
  readonly entries: readonly { readonly kind: string; readonly name: string }[];
}

export interface TeamStatus {
  /** Absent where this server publishes no catalog. */
  readonly catalog?: {
    readonly org: string;
    readonly serial: number;
    readonly open: number;
    readonly approved: number;
  };
  /** Absent where this machine is in no team. */
  readonly member?: Member;
}

export const proposalPath = (id: string, part = ''): string =>
  `/v1/catalog/proposals/${encodeURIComponent(id)}${part}`;
