/** Finds an approval, and writes the command that continues its call. */
import type { ApprovalRecord, ApprovalState } from '../../../contract/approver.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { FINISHED } from '../../../contract/flow-store.ts';
import { askingJobOf } from '../../../contract/job-view.ts';
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
  /** `run` and `plan` for what a flow has asked, `job` for a job: only these can use the answer. */
  readonly by: keyof typeof CONTINUES;
}

/** What stands before the command, for people. */
export const CONTINUES = {
  call: 'It runs when its caller sends it again with its approval:',
  run: 'A run of a flow made it, and goes on with it. If no process works on the run:',
  plan: 'It starts one run:',
  job: 'A job asked this; a worker goes on with it. If none works:',
  stoppedJob:
    'A job asked this that has ended since. It goes on with the answer once it is put back:',
} as const;

const PLAN_TOOL = 'toolcrib:plan';
const CONFIRM_TOOL = 'toolcrib:confirm';
const MAX_RUNS = 1_000;
/** How many runs are searched step by step. */
const MAX_SEARCHED = 100;

const planCommand = ({ id, request }: ApprovalRecord): string => {
  const { flow = '', version = '', input } = isRecord(request.input) ? request.input : {};
  return [
    ...['toolcrib flow run', shellQuote(String(flow)), '--version', shellQuote(String(version))],
    ...['--input', shellQuote(JSON.stringify(input) ?? 'null'), '--plan', shellQuote(id)],
    ...callerArguments(request.caller),
  ].join(' ');
};

/** Finds the run that waits for an answer to one of its calls. One that a process works on goes on by itself. */
const waitingRun = async (
  { flows }: Pick<Crib, 'flows'>,
  id: string,
): Promise<string | undefined> => {
  const runs = await flows.list({ status: 'waiting', limit: MAX_RUNS });
  const waiting = runs.find(({ waitsFor = [] }) => waitsFor.includes(`approval:${id}`));
  if (waiting) return waiting.id;
  // A run whose other branches are worked on, or that is blocked, does not name what else it waits for.
  for (const status of ['running', 'blocked'] as const) {
    for (const run of await flows.list({ status, limit: MAX_SEARCHED })) {
      const steps = await flows.steps(run.id);
      if (steps.some(({ approvalId, state }) => state === 'open' && approvalId === id))
        return run.id;
    }
  }
  return undefined;
};

/** Names the run that a question of a flow says it belongs to; nothing for a call of a tool. */
const askingRun = ({ tool, request }: ApprovalRecord): string | undefined => {
  if (tool !== CONFIRM_TOOL || !isRecord(request.input)) return undefined;
  const { runId } = request.input;
  return typeof runId === 'string' ? runId : undefined;
};

const unawaited = (asking: string, state: string | undefined, approvalId: string): ToolFailure => {
  const is = state === undefined ? 'is not on record any more' : `is ${state}`;
  return new ToolFailure('CONFLICT', `The ${asking} that asked ${is}: no answer changes it.`, {
    suggestions: [`Take the question out of the inbox: toolcrib approvals deny ${approvalId}`],
  });
};

/** Throws CONFLICT for a question of a run or a job that is over: no answer to it changes anything. */
export const assertAwaited = async (
  record: ApprovalRecord,
  { flows, jobs }: Pick<Crib, 'flows' | 'jobs'>,
): Promise<void> => {
  const jobId = askingJobOf(record);
  if (jobId !== undefined) {
    const job = await jobs.get(jobId);
    if (job && job.state !== 'completed') return;
    throw unawaited(`job ${jobId}`, job?.state, record.id);
  }
  const runId = askingRun(record);
  if (runId === undefined) return;
  const run = await flows.get(runId);
  if (run && !FINISHED.has(run.status)) return;
  throw unawaited(`run ${runId}`, run?.status, record.id);
};

/** Says how a job goes on that has asked: by a worker, after it was put back where it is dead or cancelled. */
const jobContinuation = async (
  jobId: string,
  { jobs }: Pick<Crib, 'jobs'>,
): Promise<Continuation> => {
  const state = (await jobs.get(jobId))?.state;
  return state === 'dead' || state === 'cancelled'
    ? { command: `toolcrib jobs requeue ${shellQuote(jobId)}`, by: 'stoppedJob' }
    : { command: 'toolcrib worker', by: 'job' };
};

/** Says how a call goes on once it is approved: made again, or by the run or the job that asked. */
export const continuationOf = async (
  record: ApprovalRecord,
  crib: Pick<Crib, 'flows' | 'jobs' | 'tools'>,
): Promise<Continuation> => {
  if (record.tool === PLAN_TOOL) return { command: planCommand(record), by: 'plan' };
  const jobId = askingJobOf(record);
  if (jobId !== undefined) return jobContinuation(jobId, crib);
  const run = askingRun(record) ?? (await waitingRun(crib, record.id));
  return run === undefined
    ? { command: resumeCommand(record, crib.tools), by: 'call' }
    : { command: `toolcrib flow resume ${shellQuote(run)}`, by: 'run' };
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
