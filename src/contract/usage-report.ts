/** What was used in a month, by day, user, tool and source. */

/** The figures of a day, user, tool or source. Calls that cost nothing count as well. */
export interface UsageReportLine {
  /** The day `2026-11-15`, or the name of the user, tool or source. */
  readonly name: string;
  readonly calls: number;
  readonly succeeded: number;
  /** Calls that failed or took too long. */
  readonly errors: number;
  /** Calls that a gate refused. */
  readonly denied: number;
  readonly tokens: number;
  readonly costUsd: number;
  /** What the ledger booked, for users and tools: what budgets go by. */
  readonly bookedUsd?: number;
  /** The limits of a day, for users and tools; a missing one is no limit. */
  readonly limit?: { readonly usd?: number; readonly calls?: number; readonly tokens?: number };
}

export interface UsageReport {
  /** The month `2026-11`. */
  readonly month: string;
  /** Days begin and end at midnight of this time zone. */
  readonly timeZone: 'UTC';
  /** When it was made, in milliseconds since the epoch. */
  readonly madeAt: number;
  /** False while the month is not over. */
  readonly isComplete: boolean;
  readonly total: UsageReportLine;
  readonly days: readonly UsageReportLine[];
  readonly users: readonly UsageReportLine[];
  readonly tools: readonly UsageReportLine[];
  readonly sources: readonly UsageReportLine[];
  /** How many names a list has at most; those with the most calls come first. */
  readonly maxLines: number;
}

export const REPORT_FORMATS = ['csv', 'json', 'html'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** A report as a file. */
export interface ReportFile {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  /** How many calls it sums up. */
  readonly calls: number;
}
