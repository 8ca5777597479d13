/** Tools and results as the HTTP API sends them. The console shares no code with the server. */
export type Tier = 'read_only' | 'write' | 'execute' | 'external_api';
export const TIERS: readonly Tier[] = ['read_only', 'write', 'execute', 'external_api'];

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface LockFinding {
  readonly kind: string;
  readonly path: string;
  readonly message: string;
}

export interface ToolSummary {
  readonly name: string;
  readonly wireName: string;
  readonly version: string;
  readonly description: string;
  readonly source: string;
  readonly category: string;
  readonly tier: Tier;
  readonly tags: readonly string[];
  readonly enabled: boolean;
  readonly deprecated: boolean;
  readonly quarantine?: { readonly reason: string; readonly findings: readonly LockFinding[] };
  readonly renamedFrom?: string;
}

export interface Capability {
  readonly action: string;
  readonly description: string;
  readonly requiresConfirmation?: boolean;
  readonly destructive?: boolean;
  readonly tier?: Tier;
}

export interface ToolDetail extends ToolSummary {
  readonly documentation?: string;
  readonly capabilities: readonly Capability[];
  readonly cost?: {
    readonly model: string;
    readonly fixed?: number;
    readonly perUnit?: { readonly unit: string; readonly price: number };
  };
  readonly auth?: {
    readonly type: string;
    readonly configKey: string;
    readonly setupUrl?: string;
    /** Absent when the server does not look. */
    readonly present?: boolean;
  };
  readonly needs?: {
    readonly paths?: readonly { readonly path: string; readonly access: string }[];
    readonly hosts?: readonly string[];
    readonly commands?: readonly string[];
    readonly secrets?: readonly string[];
  };
  readonly examples: readonly { readonly title: string; readonly input: unknown }[];
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  readonly versions: readonly {
    readonly version: string;
    readonly active: boolean;
    readonly deprecated: boolean;
  }[];
  readonly tokens: number;
  readonly sandbox?: unknown;
  readonly timeoutMs?: number;
  readonly lock?: {
    readonly state: string;
    readonly findings: readonly LockFinding[];
    readonly diff: string;
    readonly fingerprint?: string;
  };
}

export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly type?: string;
  readonly severity?: string;
  readonly retryable?: boolean;
  readonly suggestions?: readonly string[];
  readonly issues?: readonly Issue[];
  /** The call of which nobody knows whether it took effect. */
  readonly inDoubt?: string;
}

/** What a dry run answers in `data`. */
export interface DryRunReport {
  readonly verdict: 'allow' | 'ask';
  readonly rule: string;
  readonly reason: string;
  readonly estimate: {
    readonly costMicros: number;
    readonly mostMicros?: number;
    readonly tokens: number;
    readonly timeMs?: number;
    readonly confidence: 'exact' | 'estimate' | 'unknown';
  };
  readonly approvalsNeeded: number;
  readonly effects: readonly string[];
  readonly inspected: readonly string[];
  readonly preconditions: {
    readonly results: readonly {
      readonly description: string;
      readonly passed: boolean;
      readonly critical: boolean;
    }[];
  };
}

export type ToolStatus = 'success' | 'failure' | 'timeout' | 'cancelled' | 'denied' | 'pending';

export interface ToolResult {
  readonly success: boolean;
  readonly status: ToolStatus;
  readonly data?: unknown;
  readonly error?: ErrorBody;
  readonly warnings?: readonly string[];
  readonly approval?: { readonly approvalId: string; readonly expiresAt: number };
  readonly metadata: {
    readonly executionId: string;
    readonly toolName: string;
    readonly version: string;
    readonly timestamp: number;
    readonly duration: number;
    readonly attempts: number;
    readonly cost: number;
    readonly tokensUsed: number;
    readonly cached: boolean;
    readonly resourcesUsed: readonly string[];
    readonly traceId: string;
    readonly labels: { readonly trust: string; readonly sensitivity: string };
  };
}
