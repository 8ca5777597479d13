/**
 * What our own programs give to the crib that they make. Apart from its parts: declarations of the package lead
 * here.
 */
import type { Redactor } from '../../governance/redaction/redaction.ts';

export interface HostDeps {
  /** Opens the redactor of the program's log. The crib shares it, so that the log hides the secrets of the crib. */
  redactor?(): Promise<Redactor>;
  /** Continues only the runs of flows that it starts or waits for. Others are for processes that stay. */
  readonly onlyAwaitedRuns?: boolean;
}
