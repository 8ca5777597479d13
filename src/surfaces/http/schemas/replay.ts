/** The schema of a recorded call that was judged again. */
import { z } from 'zod';
import { REPLAY_ASPECTS } from '../../../contract/replay.ts';

const outcome = z.enum(['run', 'ask', 'refuse', 'unknown']);
const verdict = z.enum(['same', 'different', 'unknown']);
const decision = z.enum(['allow', 'ask', 'deny']).optional();

export const replaySchema = z.object({
  executionId: z.string(),
  tool: z.string(),
  caller: z.object({ userId: z.string(), agentId: z.string(), sessionId: z.string() }),
  at: z.number(),
  judgedAt: z.number(),
  verdict,
  before: z.looseObject({
    outcome,
    status: z.string(),
    code: z.string(),
    decision,
    rule: z.string(),
  }),
  now: z.looseObject({ outcome, stage: z.string().optional(), decision }),
  lines: z.array(
    z.object({ aspect: z.enum(REPLAY_ASPECTS), before: z.string(), now: z.string(), verdict }),
  ),
  redacted: z.array(z.string()),
  notes: z.array(z.string()),
});
