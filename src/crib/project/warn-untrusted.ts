/** Warns that an edit of ours could not keep the trust in a project. */
import type { Logger } from '../../contract/runtime.ts';

/** Warns of a folder that has changed elsewhere, too: only its user can say that this was meant. */
export const warnUntrusted = (log: Pick<Logger, 'warn'>): void =>
  log.warn('Something else in .toolcrib has changed as well, so it is not trusted any more', {
    next: 'toolcrib trust',
  });
