/** What our own programs give to the crib that they make. Apart from its parts: declarations of the package lead here. */
import type { Redactor } from '../../governance/redaction/redaction.ts';

export interface HostDeps {
  /** The redactor of the program's log, with the same configuration: the log then hides the secrets of the crib. */
  redactor?(): Promise<Redactor>;
}
