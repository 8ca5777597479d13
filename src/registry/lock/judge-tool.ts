/** Whether a definition from outside is one that a person has accepted, and what is odd about it if not. */
import type { Quarantine } from '../../contract/lock.ts';
import type { Registered } from '../versions.ts';
import { NOT_JUDGED } from './gate.ts';
import type { createLines } from './lock-lines.ts';
import type { OutsideTools } from './outside-tools.ts';
import { isGrave, scanDefinition } from './scan/scan-definition.ts';
import type { Visible } from './visible.ts';

export interface JudgeDeps {
  readonly tools: OutsideTools;
  readonly linesOf: ReturnType<typeof createLines>;
  readonly visible: Visible;
}

/** What was accepted is not looked through again: a person has. */
export const createJudge =
  ({ tools, linesOf, visible }: JudgeDeps) =>
  (registered: Registered): Quarantine | undefined => {
    const tool = tools.of(registered);
    if (!tool?.pinned) return NOT_JUDGED;
    const { definition, fingerprint } = tool.pinned;
    const lines = linesOf(tool);
    if (lines.some((line) => line.fingerprint === fingerprint)) return undefined;
    const findings = scanDefinition(definition, { tool, names: tools.names(), visible });
    if (isGrave(findings)) return { reason: 'flagged', findings };
    return { reason: lines.length > 0 ? 'changed' : 'new', findings };
  };
