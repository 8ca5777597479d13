/** `toolcrib flow plan`: what a run would do, cost and ask. Runs nothing. */
import type { Command } from 'commander';
import type { FlowPlan, FlowPlanStep } from '../../../contract/flow-data.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type CallerOptions, callerFrom, withCaller } from '../../input/caller-options.ts';
import { applyPairs } from '../../input/pairs.ts';
import { readInput } from '../../input/read-input.ts';
import { type Io, print, printJson, widthOf } from '../../io.ts';
import { formatCost, formatDuration } from '../../output/format-units.ts';
import { type Cell, headRow, table } from '../../output/table.ts';
import { withCrib } from '../../session/open-crib.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import { flowSource } from './flow-source.ts';

interface PlanOptions extends CallerOptions, ModuleOptions {
  readonly inputFile?: string;
}

const HEAD = ['level', 'step', 'what', 'verdict', 'time', 'cost at most', 'effects'];

const verdictCell = ({ verdict }: FlowPlanStep, { ink }: Io): Cell => {
  const paint = { allow: ink.green, ask: ink.yellow, deny: ink.red, unknown: ink.dim }[verdict];
  return { text: verdict, paint };
};

const rowOf = (io: Io, step: FlowPlanStep): readonly (string | Cell)[] => [
  String(step.level + 1),
  { text: step.id, paint: io.ink.bold },
  step.tool ?? step.type,
  verdictCell(step, io),
  step.timeFrom === 'none' ? '?' : formatDuration(step.estimatedMs),
  formatCost(step.maxUsd),
  step.effects.join('; '),
];

const summary = (io: Io, plan: FlowPlan): readonly string[] => {
  const { cost, criticalPath, estimatedMs, approvals, denied, missingCredentials } = plan;
  return [
    '',
    `Time     about ${formatDuration(estimatedMs)}, along ${criticalPath.join(' → ')}`,
    `Cost     ${formatCost(cost.maxUsd)} at most${cost.isOpen ? ', and what is not known before' : ''}`,
    ...approvals.map(({ step, reason }) => `${io.ink.yellow('Asks')}     ${step}: ${reason}`),
    ...denied.map(({ step, reason }) => `${io.ink.red('denied')}   ${step}: ${reason}`),
    ...missingCredentials.map(({ step, key }) => `${io.ink.red('lacks')}    ${step}: ${key}`),
    'Nothing was run.',
  ].map((line) => line);
};

const plan = async (
  io: Io,
  typed: string,
  { args, options }: { readonly args: readonly string[]; readonly options: PlanOptions },
): Promise<number> => {
  const given = await readInput(io, { args, file: options.inputFile });
  return withCrib(io, async ({ crib }) => {
    await registerModules(io, crib, options);
    const source = await flowSource(io, typed);
    const schema = (await crib.flows.registered()).find(({ name }) => name === typed)?.input;
    const input = applyPairs(given.base, given.pairs, schema);
    const found = await crib.flows.plan(source, input, callerFrom(options));
    if (io.json) printJson(io, found);
    else {
      const rows = found.steps.map((step) => rowOf(io, step));
      print(io, ...table([headRow(HEAD, io.ink), ...rows], widthOf(io)));
      print(io, ...summary(io, found));
      print(io, ...found.faults.map(({ message }) => visibleText(`! ${message}`)));
    }
    if (found.faults.some(({ severity }) => severity === 'error')) return 2;
    return found.denied.length > 0 ? 3 : 0;
  });
};

export const flowPlanCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withModules(withCaller(withJson(flow.command('plan'))))
      .argument('<flow>', 'name of a declared flow, or a flow file')
      .argument('[input...]', 'JSON, or key=value pairs')
      .option('--input-file <file>', 'read the input from a JSON or YAML file, - for stdin')
      .action(
        leaving(io, (typed: string, args: readonly string[], options: PlanOptions) =>
          plan(io, typed, { args, options }),
        ),
      ),
    'toolcrib flow plan research topic=bees',
    'toolcrib flow plan ./research.yml --json',
  );
