/** `toolcrib policy shadow`: what rules in shadow mode would have asked about or refused. */
import type { Command } from 'commander';
import type { AuditRow } from '../../../contract/audit.ts';
import type { RuleEffect, ShadowFinding } from '../../../contract/policy.ts';
import { outcomeRows } from '../../../crib/audit/recorded-call.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { wholeNumber } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import { counted, formatTime } from '../../output/format-units.ts';
import { type Cell, headRow, ruleEffectCell, table } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

interface ShadowOptions {
  readonly since?: string;
  readonly limit: number;
}

interface ShadowRow extends ShadowFinding {
  readonly at: number;
  readonly executionId: string;
  readonly tool: string;
  readonly userId: string;
}

const EFFECTS: readonly RuleEffect[] = ['allow', 'ask', 'deny'];

/** Checks the shape of a row: others may have written the file. */
const isFinding = (value: unknown): value is ShadowFinding => {
  if (typeof value !== 'object' || value === null) return false;
  const { rule, effect, reason } = value as Record<string, unknown>;
  return (
    typeof rule === 'string' &&
    typeof reason === 'string' &&
    EFFECTS.some((name) => name === effect)
  );
};

const findingsOf = ({ detail, at, executionId, tool, userId }: AuditRow): readonly ShadowRow[] => {
  const findings: unknown = detail.shadow;
  return Array.isArray(findings)
    ? findings.filter(isFinding).map((finding) => ({ ...finding, at, executionId, tool, userId }))
    : [];
};

const HEAD = ['time', 'execution', 'tool', 'user', 'would', 'rule', 'because'];

const rowOf = (io: Io, row: ShadowRow): readonly (string | Cell)[] => [
  { text: formatTime(row.at), paint: io.ink.dim },
  row.executionId,
  { text: row.tool, paint: io.ink.bold },
  row.userId,
  ruleEffectCell(row.effect, io.ink),
  row.rule,
  row.reason,
];

const shadow = (io: Io, { since, limit }: ShadowOptions): Promise<number> => {
  const from = since === undefined ? {} : { from: readMoment('--since', since, io.runtime.now()) };
  return withStore(io, async ({ crib }) => {
    const { audit } = await crib.store();
    const findings: ShadowRow[] = [];
    let more = false;
    for await (const row of outcomeRows(audit, from)) {
      const added = findingsOf(row);
      more = findings.length > 0 && findings.length + added.length > limit;
      if (more) break;
      findings.push(...added);
    }
    if (io.json) printJson(io, { findings, more });
    else if (findings.length === 0) print(io, 'No rule in shadow mode would have stopped a call.');
    else {
      print(io, ...table([headRow(HEAD, io.ink), ...findings.map((row) => rowOf(io, row))]));
      hint(io, `${counted(findings.length, 'finding')}; none of these was stopped.`);
      if (more) hint(io, 'There are older ones: raise --limit.');
    }
    return 0;
  });
};

export const policyShadowCommand = (policy: Command, io: Io): Command =>
  withExamples(
    withJson(policy.command('shadow'))
      .option('--since <when>', 'calls from then on: a date, or 90m, 2h, 7d ago')
      .option('--limit <count>', 'list at most this many findings', wholeNumber('--limit', 1), 100)
      .action(leaving(io, (options: ShadowOptions) => shadow(io, options))),
    'toolcrib policy shadow --since 7d',
  );
