/** What the arguments of `crib.flows` and `crib.chains` have to be. */
import type { CallerAs } from '../../../contract/call-options.ts';
import type {
  ChainCall,
  ChainCallOptions,
  ChainOptions,
  ChainScheduleOptions,
  CribChains,
} from '../../../contract/chain.ts';
import type { CribFlows, StartFlowAs, StepSettlement } from '../../../contract/flow.ts';
import { FLOW_STATUSES, type FlowFilter } from '../../../contract/flow-store.ts';
import {
  type ArgumentCheck,
  amount,
  anything,
  atLeastOne,
  callback,
  data,
  either,
  fields,
  flag,
  moment,
  name,
  oneOf,
  optional,
  someFields,
  text,
  texts,
} from '../../../kit/data/check-arguments.ts';
import type { MethodChecks } from '../checked.ts';
import { callerAnd, callerOptions, callOptions } from '../member-checks.ts';

const flow = someFields({ name: text, version: text, run: callback });

const flowFilter = fields({
  status: optional(oneOf(...FLOW_STATUSES)),
  flow: optional(name),
  userId: optional(name),
  before: optional(moment),
  limit: optional(amount),
} satisfies Record<keyof FlowFilter, ArgumentCheck>);

const startAs = callerAnd(
  {
    runId: optional(text),
    version: optional(text),
    planDigest: optional(text),
    planApproval: optional(text),
    trace: anything,
  } satisfies Record<Exclude<keyof StartFlowAs, keyof CallerAs>, ArgumentCheck>,
  {
    idempotencyKey: ': give a runId, which starts one run however often it is given',
    dryRun: ': plan the run with crib.flows.plan',
    timeoutMs: ': the limits of a flow as data have one',
    flowUsd: ': maxUsd of the limits of a flow as data is one',
    approvalId: ': give planApproval, or answer what the run asks',
    signal: ': cancel the run with crib.flows.cancel',
    traceId: ': the calls of a run have the id of the run',
  },
);

const approvalAs = callerAnd({ version: optional(text) });

const settlement = fields({
  step: text,
  as: oneOf('done', 'not_done'),
  data: anything,
} satisfies Record<keyof StepSettlement, ArgumentCheck>);

/** A flow as data, as text or object, or its name; its reader reports the faults. */
const flowSource = either(text, data);

export const FLOW_CHECKS: MethodChecks<CribFlows> = {
  register: { flow },
  start: { flow: text, input: anything, as: optional(startAs) },
  finished: { runId: text, as: optional(callerOptions) },
  get: { runId: text, as: optional(callerOptions) },
  list: { filter: optional(flowFilter), as: optional(callerOptions) },
  steps: { runId: text, as: optional(callerOptions) },
  send: { runId: text, event: text, payload: anything, as: optional(callerOptions) },
  cancel: { runId: text, as: optional(callerOptions) },
  resume: {
    runId: text,
    options: optional(fields({ version: optional(text), settle: optional(settlement) })),
    as: optional(callerOptions),
  },
  registerData: { source: flowSource },
  validate: { source: flowSource },
  plan: { source: flowSource, input: anything, as: optional(callOptions) },
  requestApproval: { flow: text, input: anything, as: optional(approvalAs) },
  optimize: { source: flowSource },
  graph: { source: flowSource },
  nodes: { runId: text, as: optional(callerOptions) },
};

const chainCalls: ArgumentCheck = (value) => {
  if (!Array.isArray(value)) return 'has to be a list';
  for (const [at, call] of value.entries()) {
    const fault = chainCall(call);
    if (fault !== undefined) return `${at}: ${fault}`;
  }
  return undefined;
};

const chainCall = fields({
  tool: text,
  input: anything,
  inputFrom: anything,
  id: optional(text),
  dependsOn: optional(texts),
  options: optional(
    fields({
      idempotencyKey: optional(text),
      approvalId: optional(text),
      version: optional(text),
      timeoutMs: optional(amount),
      dryRun: optional(flag),
    } satisfies Record<keyof ChainCallOptions, ArgumentCheck>),
  ),
} satisfies Record<keyof ChainCall, ArgumentCheck>);

const chainOptions = fields({
  continueOnError: optional(flag),
  maxConcurrency: optional(atLeastOne),
} satisfies Record<keyof ChainOptions, ArgumentCheck>);

const scheduleOptions = fields({
  maxConcurrency: optional(atLeastOne),
  memory: optional(text),
  disk: optional(text),
  cpu: optional(text),
} satisfies Record<keyof ChainScheduleOptions, ArgumentCheck>);

export const CHAIN_CHECKS: MethodChecks<CribChains> = {
  execute: { calls: chainCalls, options: optional(chainOptions), as: optional(callOptions) },
  validate: { calls: chainCalls, as: optional(callOptions) },
  optimize: { calls: chainCalls },
  schedule: { calls: chainCalls, options: optional(scheduleOptions) },
  resources: {},
};
