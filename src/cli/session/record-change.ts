/** Records a change of the configuration, with who made it. */
import type { Io, OpenCrib } from '../io.ts';

export interface RecordedChange {
  /** `noun.verb-ed`, e.g. `server.added`. */
  readonly event: string;
  /** What was changed, e.g. `server:github`. */
  readonly subject: string;
  readonly by: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export const recordChange = async (
  io: Pick<Io, 'runtime'>,
  { crib }: Pick<OpenCrib, 'crib'>,
  { event, subject, by, detail }: RecordedChange,
): Promise<void> => {
  const { audit } = await crib.store();
  await audit.append({
    kind: 'event',
    executionId: subject,
    at: io.runtime.now(),
    tool: '',
    version: '',
    tier: '',
    userId: by,
    agentId: '',
    sessionId: '',
    status: 'success',
    code: '',
    durationMs: 0,
    costMicros: 0,
    detail: { event, ...detail },
  });
};
