/** `toolcrib flow plan`: what a run would do, cost and ask. Runs nothing. */
import type { Command } from 'commander';
import type { CribHost } from '../../../contract/crib-host.ts';
import { ERRORS } from '../../../contract/errors.ts';
import type { FlowPlan, FlowPlanStep } from '../../../contract/flow-plan.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type CallerOptions, callerFrom, withCaller } from '../../input/caller-options.ts';
import { misuse } from '../../input/misuse.ts';
import { applyPairs } from '../../input/pairs.ts';
import { readInput } from '../../input/read-input.ts';
import { type Io, print, printJson, widthOf } from '../../io.ts';
import { formatCost, formatDuration } from '../../output/format-units.ts';
import { type Cell, headRow, table } from '../../output/table.ts';
import { withCrib } from '../../session/open-crib.ts';
import { terminalPerson } from '../../session/terminal-person.ts';
import { faultLine } from './fault-line.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import { flowSource, isFile, namedVersion } from './flow-source.ts';
import { withTrustHint } from './untrusted-flows.ts';

interface PlanOptions extends CallerOptions, ModuleOptions {
  readonly inputFile?: string;
  readonly approve?: boolean;
}

/** The exit code when the plan waits for a person. */
const WAITS = 5;

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

/** Writes a text of a flow file with control characters made visible. */
const stepText = (step: string, text: string): string => visibleText(`${step}: ${text}`);

const summary = (io: Io, plan: FlowPlan): readonly string[] => {
  const { cost, criticalPath, estimatedMs, approvals, denied, missingCredentials } = plan;
  return [
    '',
    `Time     about ${formatDuration(estimatedMs)}, along ${criticalPath.join(' → ')}`,
    `Cost     ${formatCost(cost.maxUsd)} at most${cost.isOpen ? ', and what is not known before' : ''}`,
    ...approvals.map(
      ({ step, reason }) => `${io.ink.yellow('asks')}     ${stepText(step, reason)}`,
    ),
    ...denied.map(({ step, reason }) => `${io.ink.red('denied')}   ${stepText(step, reason)}`),
    ...missingCredentials.map(
      ({ step, key }) => `${io.ink.red('lacks')}    ${stepText(step, key)}`,
    ),
    'Nothing was run.',
  ];
};

/** Prints the plan. One of a flow with faults has no steps, because its time and cost are not known. */
const printPlan = (io: Io, plan: FlowPlan, isGood: boolean): void => {
  if (isGood) {
    const rows = plan.steps.map((step) => rowOf(io, step));
    print(io, ...table([headRow(HEAD, io.ink), ...rows], widthOf(io)), ...summary(io, plan));
  }
  print(io, ...plan.faults.map((fault) => faultLine(io, fault)));
  if (!isGood) print(io, '', 'The flow cannot be run.');
};

interface PlannedFlow {
  /** The name, with its version where one was given. */
  readonly typed: string;
  readonly input: unknown;
  readonly options: PlanOptions;
  readonly plan: FlowPlan;
}

/** Asks for approval of the whole plan: at the terminal where there is one, otherwise in the inbox. */
const approve = async (
  io: Io,
  crib: CribHost,
  { typed, input, options, plan }: PlannedFlow,
): Promise<number> => {
  const { name, ...version } = namedVersion(typed);
  const as = { ...callerFrom(options), ...version };
  const approval = await crib.flows.requestApproval(name, input, as);
  const { approvalId } = approval;
  const record = await crib.approvals.get(approvalId);
  const person = terminalPerson(io, { user: options.user });
  const decision = record && (await person.ask(record.request, new AbortController().signal));
  const answer = decision?.answer ?? 'later';
  if (decision && answer !== 'later') {
    const { by, note: remark } = decision;
    const text = remark === undefined ? {} : { note: remark };
    await crib.approvals.decide(approvalId, { approve: answer === 'approve', by, ...text });
  }
  if (io.json) printJson(io, { ...approval, answer, plan });
  else if (answer === 'approve') print(io, `Approved. Run it with: --plan ${approvalId}`);
  else if (answer === 'later') print(io, `Decide: toolcrib approvals show ${approvalId}`);
  else print(io, 'The plan was denied.');
  if (answer === 'approve') return 0;
  return answer === 'later' ? WAITS : ERRORS.USER_CANCELLED.exit;
};

/** Finds the schema by which pairs are read; nothing for a file, and for a flow that takes anything. */
const inputSchema = async ({ flows }: CribHost, typed: string): Promise<JsonSchema | undefined> => {
  const { name, version } = namedVersion(typed);
  if (version === undefined)
    return (await flows.registered()).find((flow) => flow.name === name)?.input;
  return (await flows.data()).find((flow) => flow.name === name && flow.version === version)?.input;
};

const plan = async (
  io: Io,
  typed: string,
  { args, options }: { readonly args: readonly string[]; readonly options: PlanOptions },
): Promise<number> => {
  if (options.approve && isFile(typed)) {
    throw misuse(
      '--approve takes the name of a flow of this project, not a file.',
      'Put the file below .toolcrib/flows, then name the flow: what is approved is what runs.',
    );
  }
  const given = await readInput(io, { args, file: options.inputFile });
  return withCrib(io, async (open) => {
    const { crib } = open;
    await registerModules(io, crib, options);
    const source = await flowSource(io, typed);
    const input = applyPairs(given.base, given.pairs, await inputSchema(crib, typed));
    const plan = await withTrustHint(open, typed, () =>
      crib.flows.plan(source, input, callerFrom(options)),
    );
    const isGood = !plan.faults.some(({ severity }) => severity === 'error');
    const isAsked = options.approve === true && isGood;
    if (!io.json) printPlan(io, plan, isGood);
    // With --approve the document is that of the answer.
    else if (!isAsked) printJson(io, plan);
    if (isAsked) return approve(io, crib, { typed, input, options, plan });
    if (!isGood) return 2;
    return plan.denied.length > 0 ? 3 : 0;
  });
};

export const flowPlanCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withModules(withCaller(withJson(flow.command('plan'))))
      .argument('<flow>', 'name of a declared flow, or a flow file')
      .argument('[input...]', 'JSON, or key=value pairs')
      .option('--input-file <file>', 'read the input from a JSON or YAML file, - for stdin')
      .option('--approve', 'ask a person once for all calls of the plan; the answer starts one run')
      .action(
        leaving(io, (typed: string, args: readonly string[], options: PlanOptions) =>
          plan(io, typed, { args, options }),
        ),
      ),
    'toolcrib flow plan research topic=bees',
    'toolcrib flow plan ./research.yml --json',
    'toolcrib flow plan research topic=bees --approve',
  );
