/** Figures of calls as the HTTP API sends them. */
export interface CallFigures {
  readonly calls: number;
  readonly successRate: number;
  readonly errorRate: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byCode: Readonly<Record<string, number>>;
  readonly throughput: number;
  readonly concurrency: number;
  readonly averageExecutionTime: number;
  readonly medianExecutionTime: number;
  readonly p95ExecutionTime: number;
  readonly p99ExecutionTime: number;
  readonly maxExecutionTime: number;
  readonly attempts: number;
  readonly cacheHits: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly resourceUtilization: { readonly cpuMs: number; readonly peakMemoryBytes: number };
}

export interface MetricPoint extends CallFigures {
  readonly start: number;
}

export interface MetricHistory {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly points: readonly MetricPoint[];
  readonly total: CallFigures;
}

export interface MetricLine extends CallFigures {
  readonly name: string;
}

/** How a tool has done, how often it was called, and when it was accepted. */
export interface ToolMetadata {
  readonly performance: CallFigures;
  readonly usage: {
    readonly count: number;
    readonly errors: number;
    readonly firstUsed?: number;
    readonly lastUsed?: number;
  };
  readonly created?: number;
  readonly lastModified?: number;
}

export interface HeatCell {
  readonly start: number;
  /** Absent for the shortest durations. */
  readonly overMs?: number;
  /** Absent for the longest. */
  readonly upToMs?: number;
  readonly calls: number;
}

export interface Heat {
  readonly from: number;
  readonly to: number;
  readonly columnMs: number;
  readonly cells: readonly HeatCell[];
}

/** Statuses of calls that ran and did not come to a good end, as the figures count errors. */
export const FAILED_STATUSES = ['failure', 'timeout', 'unknown'] as const;

export const failedOf = ({ byStatus }: Pick<CallFigures, 'byStatus'>): number =>
  FAILED_STATUSES.reduce((sum, status) => sum + (byStatus[status] ?? 0), 0);
