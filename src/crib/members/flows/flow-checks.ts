/** What the arguments of `crib.flows` and `crib.chains` have to be. */
import type {
  ChainCall,
  ChainCallOptions,
  ChainOptions,
  ChainScheduleOptions,
  CribChains,
} from '../../../contract/chain.ts';
import type { CribFlows, StepSettlement } from '../../../contract/flow.ts';
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
import { callOptions, callOptionsAnd } from '../member-checks.ts';

const flow = someFields({ name: text, version: text, run: callback });

const flowFilter = fields({
  status: optional(oneOf(...FLOW_STATUSES)),
  flow: optional(name),
  userId: optional(name),
  before: optional(moment),
  limit: optional(amount),
} satisfies Record<keyof FlowFilter, ArgumentCheck>);

/** Run id, version and plan are the flow's own; the rest is as for a call. */
const startAs = callOptionsAnd({
  runId: optional(text),
  version: optional(text),
  planDigest: optional(text),
  planApproval: optional(text),
});

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
  finished: { runId: text, as: optional(callOptions) },
  get: { runId: text, as: optional(callOptions) },
  list: { filter: optional(flowFilter), as: optional(callOptions) },
  steps: { runId: text, as: optional(callOptions) },
  send: { runId: text, event: text, payload: anything, as: optional(callOptions) },
  cancel: { runId: text, as: optional(callOptions) },
  resume: {
    runId: text,
    options: optional(fields({ version: optional(text), settle: optional(settlement) })),
    as: optional(callOptions),
  },
  registerData: { source: flowSource },
  validate: { source: flowSource },
  plan: { source: flowSource, input: anything, as: optional(callOptions) },
  requestApproval: { flow: text, input: anything, as: optional(callOptions) },
  optimize: { source: flowSource },
  graph: { source: flowSource },
  nodes: { runId: text, as: optional(callOptions) },
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
