/** Finds an approval, and writes the command that continues its call. */
import type { ApprovalRecord, ApprovalState } from '../../../contract/approver.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { byStart } from '../../input/by-start.ts';
import { callerArguments } from '../../input/caller-options.ts';
import { shellQuote } from '../../output/format-units.ts';

/**
 * Writes the command that repeats the call, always with the original input: an edit is stored with the
 * approval.
 */
export const resumeCommand = (
  { id, request }: ApprovalRecord,
  tools: Pick<Catalog, 'get'>,
): string => {
  const { tool, version, input, caller } = request;
  const isActive = tools.get(tool)?.tool.version === version;
  return [
    'toolcrib run',
    shellQuote(tool),
    shellQuote(JSON.stringify(input) ?? 'null'),
    '--approval',
    shellQuote(id),
    ...(isActive ? [] : ['--version', shellQuote(version)]),
    ...callerArguments(caller),
  ].join(' ');
};

/** How a call goes on once it is approved. */
export interface Continuation {
  readonly command: string;
  /** `run` and `plan` for what a flow has asked: only a run of the flow can use the answer. */
  readonly by: keyof typeof CONTINUES;
}

/** What stands before the command, for people. */
export const CONTINUES = {
  call: 'It runs when its caller sends it again with its approval:',
  run: 'A run of a flow made it, and goes on with it. If no process works on the run:',
  plan: 'It starts one run:',
} as const;

const PLAN_TOOL = 'toolcrib:plan';
const MAX_RUNS = 1_000;

const planCommand = ({ id, request }: ApprovalRecord): string => {
  const { flow = '', version = '', input } = isRecord(request.input) ? request.input : {};
  return [
    ...['toolcrib flow run', shellQuote(String(flow)), '--version', shellQuote(String(version))],
    ...['--input', shellQuote(JSON.stringify(input) ?? 'null'), '--plan', shellQuote(id)],
    ...callerArguments(request.caller),
  ].join(' ');
};

/** Finds the run that waits for an answer. One that a process works on goes on by itself. */
const waitingRun = async ({ flows }: Pick<Crib, 'flows'>, id: string) => {
  const runs = await flows.list({ status: 'waiting', limit: MAX_RUNS });
  return runs.find(({ waitsFor = [] }) => waitsFor.includes(`approval:${id}`));
};

/** Says how a call goes on once it is approved: made again, or by the run of the flow that asked. */
export const continuationOf = async (
  record: ApprovalRecord,
  crib: Pick<Crib, 'flows' | 'tools'>,
): Promise<Continuation> => {
  if (record.tool === PLAN_TOOL) return { command: planCommand(record), by: 'plan' };
  const run = await waitingRun(crib, record.id);
  return run
    ? { command: `toolcrib flow resume ${shellQuote(run.id)}`, by: 'run' }
    : { command: resumeCommand(record, crib.tools), by: 'call' };
};

const STATES: readonly ApprovalState[] = ['waiting', 'approved', 'denied', 'used'];

/** Finds an approval of any state by its id, or by a unique beginning of it. Fails with NOT_FOUND. */
export const findApproval = async (crib: Crib, id: string): Promise<ApprovalRecord> => {
  const record = await crib.approvals.get(id);
  if (record) return record;
  const lists = await Promise.all(STATES.map((state) => crib.approvals.list({ state })));
  const match = byStart(lists.flat(), id, ({ id: own }) => own);
  if (match) return match;
  throw new ToolFailure('NOT_FOUND', 'There is no approval of that id.', {
    suggestions: ['See what waits: toolcrib approvals list'],
  });
};
