/** Flows and their runs as the HTTP API sends them. */
import type { TraceSpan } from './call-records.ts';
import type { ErrorBody, JsonSchema } from './tool-records.ts';

export interface FlowInfo {
  readonly name: string;
  readonly version: string;
  readonly versions: readonly string[];
  readonly description: string;
  /** `data` for a flow whose steps are declared: it can be planned and drawn before it runs. */
  readonly source: 'code' | 'data';
  readonly input?: JsonSchema;
}

export const RUN_STATUSES = [
  'running',
  'sleeping',
  'waiting',
  'blocked',
  'completed',
  'failed',
  'cancelled',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

export interface RunSummary {
  readonly id: string;
  readonly flow: string;
  readonly version: string;
  readonly status: RunStatus;
  readonly caller: { readonly userId: string; readonly agentId: string };
  readonly parent?: { readonly runId: string };
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly wakeAt?: number;
  readonly waitsFor?: readonly string[];
  /** It is due, and the server does not have its version. */
  readonly missingVersion?: true;
  /** The reader may not see what the run was given and what came out. */
  readonly withheld?: true;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly error?: ErrorBody;
}

export interface RunStep {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly state: 'open' | 'done' | 'failed';
  readonly startedAt: number;
  readonly finishedAt?: number;
  readonly callMs?: number;
  readonly costUsd?: number;
  readonly executionId?: string;
  readonly approvalId?: string;
  readonly childId?: string;
  readonly wakeAt?: number;
  readonly summary?: string;
  readonly input?: unknown;
  readonly value?: unknown;
  readonly error?: ErrorBody;
  readonly trace?: readonly TraceSpan[];
}

export interface GraphNode {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly state: string;
  readonly note?: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** How much is too much to be drawn. */
  readonly leftOut?: { readonly nodes: number; readonly edges: number };
}

export interface RunDetail extends RunSummary {
  readonly steps: readonly RunStep[];
  readonly stepCount: number;
  /** There are more steps than are sent. */
  readonly isCut: boolean;
  readonly costUsd: number;
  readonly graph: Graph;
}

/** Tells whether nothing more happens to a run. */
export const isOver = ({ status }: Pick<RunSummary, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** What a run would do. Nothing has been run. */
export interface FlowPlan {
  /** Names all that decides what the run would do. */
  readonly digest: string;
  readonly steps: readonly {
    readonly id: string;
    readonly type: string;
    readonly tool?: string;
    readonly verdict: 'allow' | 'ask' | 'deny' | 'unknown';
    readonly effects: readonly string[];
    readonly estimatedMs: number;
    readonly timeFrom: string;
    readonly maxUsd: number;
    readonly level: number;
  }[];
  readonly criticalPath: readonly string[];
  readonly estimatedMs: number;
  readonly cost: { readonly maxUsd: number; readonly isOpen: boolean };
  readonly approvals: readonly { readonly step: string; readonly reason: string }[];
  readonly denied: readonly { readonly step: string; readonly reason: string }[];
  readonly missingCredentials: readonly { readonly step: string; readonly key: string }[];
  /** Where one of them is an error the run cannot be made, and the rest of the plan says nothing. */
  readonly faults: readonly {
    readonly path: readonly (string | number)[];
    readonly message: string;
    readonly severity: 'error' | 'warning';
  }[];
}
