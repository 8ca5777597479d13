/** `toolcrib policy explain`: which rule decides about a call, and how every rule came to its answer. */
import type { Command } from 'commander';
import type { Explanation, Verdict } from '../../../contract/policy.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type CallerOptions, callerFrom, withCaller } from '../../input/caller-options.ts';
import { applyPairs } from '../../input/pairs.ts';
import { readInput } from '../../input/read-input.ts';
import { hint, type Io, print, printJson } from '../../io.ts';
import {
  type Cell,
  type Facts,
  factRows,
  headRow,
  ruleEffectCell,
  table,
} from '../../output/table.ts';
import { toolOf } from '../../session/find-tool.ts';
import { withCrib } from '../../session/open-crib.ts';

interface ExplainOptions extends CallerOptions {
  readonly input?: string;
}

const HEAD = ['', 'rule', 'effect', 'written in', 'why'];

const MEANING: Readonly<Record<Verdict['effect'], string>> = {
  allow: 'the call may run',
  ask: 'a person is asked first',
  deny: 'the call is refused',
};

const verdictText = ({ effect, everyTime = false }: Verdict): string =>
  everyTime ? `${effect}: a person is asked every time` : `${effect}: ${MEANING[effect]}`;

const show = (io: Io, { verdict, considered }: Explanation): void => {
  const { ink } = io;
  const decided = considered.find(
    ({ rule, matched, shadow }) => rule === verdict.rule && matched && !shadow,
  );
  const facts: Facts = [
    ['verdict', { text: verdictText(verdict), ...paintOf(io, verdict) }],
    ['rule', `${verdict.rule}${decided ? ` (${decided.origin})` : ''}`],
    ['reason', verdict.reason],
  ];
  print(io, ...table(factRows(facts, ink)));
  for (const { rule, effect, reason } of verdict.shadow ?? []) {
    print(io, ink.dim(visibleText(`shadow   ${rule} would ${effect}: ${reason}`)));
  }
  if (considered.length === 0) return;
  const rows = considered.map((one) => [
    one.matched ? { text: '●', paint: ink.bold } : { text: '·', paint: ink.dim },
    { text: one.rule, ...(one.matched && { paint: ink.bold }) },
    { ...ruleEffectCell(one.effect, ink), ...(one.shadow && { text: `${one.effect} (shadow)` }) },
    one.origin,
    one.why,
  ]);
  print(io, '', 'Rules, in the order in which they are considered (● fits this call):');
  print(io, ...table([headRow(HEAD, ink), ...rows]));
};

const paintOf = (io: Io, { effect }: Verdict): Pick<Cell, 'paint'> => {
  const { paint } = ruleEffectCell(effect, io.ink);
  return paint ? { paint } : {};
};

const explain = async (
  io: Io,
  name: string,
  { args, options }: { readonly args: readonly string[]; readonly options: ExplainOptions },
): Promise<number> => {
  const given = await readInput(io, { args, file: options.input });
  return withCrib(
    io,
    async ({ crib }) => {
      const { tool } = toolOf(crib, name);
      const input = applyPairs(given.base, given.pairs, crib.tools.inputSchema(tool.name));
      const explanation = await crib.explain(tool.name, input, callerFrom(options));
      if (io.json) printJson(io, explanation);
      else {
        show(io, explanation);
        const { effect, everyTime = false } = explanation.verdict;
        if (effect === 'ask' && !everyTime) {
          hint(io, 'A grant can answer for a person: toolcrib permissions');
        }
      }
      return 0;
    },
    { tool: name },
  );
};

export const policyExplainCommand = (policy: Command, io: Io): Command =>
  withExamples(
    withCaller(withJson(policy.command('explain')))
      .argument('<tool>', 'name of the tool')
      .argument('[input...]', 'JSON, or key=value pairs, as for `toolcrib run`')
      .option('-i, --input <file>', 'read the input from a JSON or YAML file, - for stdin')
      .action(
        leaving(io, (name: string, args: readonly string[], options: ExplainOptions) =>
          explain(io, name, { args, options }),
        ),
      ),
    'toolcrib policy explain file_operations operation=delete path=a.txt',
    'toolcrib policy explain write_file path=a.txt content=x --user ada --role viewer',
  );
