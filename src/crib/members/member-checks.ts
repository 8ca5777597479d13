/** By group and method: what the arguments have to be. */
import type { Catalog, SearchQuery, ToolFilter } from '../../contract/catalog.ts';
import type {
  ChainCall,
  ChainCallOptions,
  ChainOptions,
  ChainScheduleOptions,
  CribChains,
} from '../../contract/chain.ts';
import type {
  CribApprovals,
  CribExecutions,
  CribResults,
  Permissions,
} from '../../contract/crib-members.ts';
import type { CribDevices } from '../../contract/devices.ts';
import type { EventName, Events } from '../../contract/events.ts';
import type { CribFlows } from '../../contract/flow.ts';
import type { FlowFilter } from '../../contract/flow-store.ts';
import type { GrantSubject, NewGrant } from '../../contract/grant.ts';
import type { ToolLock } from '../../contract/lock.ts';
import type { CompletionAsked, Servers } from '../../contract/servers.ts';
import type { AiSdkOptions, ToolSetOptions, ToolSets } from '../../contract/tool-sets.ts';
import {
  type ArgumentCheck,
  amount,
  anything,
  atLeastOne,
  callback,
  either,
  fields,
  flag,
  list,
  moment,
  name,
  object,
  oneOf,
  optional,
  range,
  someFields,
  text,
  texts,
  tool,
} from '../../kit/data/check-arguments.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { unknownNameText } from '../../kit/text/did-you-mean.ts';
import { optionsFault } from '../../pipeline/request-fault.ts';
import type { MethodChecks } from './checked.ts';

/** Who calls, and how: the same names and kinds that `execute` takes. */
export const callOptions: ArgumentCheck = (value) => {
  const fault = optionsFault(value);
  return fault && `${fault.path.join('.')} ${fault.message}`;
};

const state = oneOf('waiting', 'approved', 'denied', 'used');

const remember = either(
  fields({ scope: oneOf('session') }),
  fields({ scope: oneOf('pattern'), condition: text, expiresAt: optional(moment) }),
);
const answer = fields({
  approve: flag,
  by: text,
  note: optional(name),
  input: anything,
  remember: optional(remember),
});

export const APPROVAL_CHECKS: MethodChecks<CribApprovals> = {
  list: { filter: optional(fields({ state: optional(state) })) },
  get: { approvalId: text },
  decide: { approvalId: text, answer },
  links: { approvalId: text },
  decideByLink: { link: text },
};

/** `undo` answers with a result instead, as every call does. */
export const EXECUTION_CHECKS: MethodChecks<CribExecutions> = {
  status: { executionId: text },
  running: {},
  cancel: { executionId: text },
  isUndoable: { executionId: text },
  cleanup: { executionId: text },
};

const flow = someFields({ name: text, version: text, run: callback });

const status = oneOf(
  ...['running', 'sleeping', 'waiting', 'blocked', 'completed', 'failed', 'cancelled'],
);

const flowFilter = fields({
  status: optional(status),
  flow: optional(name),
  userId: optional(name),
  before: optional(moment),
  limit: optional(amount),
} satisfies Record<keyof FlowFilter, ArgumentCheck>);

/** Run id and version are the flow's own; the rest is as for a call. */
const startAs: ArgumentCheck = (value) => {
  if (!isRecord(value)) return 'has to be an object';
  const { runId, version, planDigest, planApproval, ...as } = value;
  const texts = [runId, version, planDigest, planApproval].map(optional(text));
  return texts.find((fault) => fault !== undefined) ?? callOptions(as);
};

/** The text or the object of a flow as data, or a name: its reader says what is wrong with it. */
const flowSource = either(text, object);

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
    options: optional(fields({ version: optional(text) })),
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

export const DEVICE_CHECKS: MethodChecks<CribDevices> = {
  add: { device: fields({ token: text, platform: text }), as: optional(callOptions) },
  list: { as: optional(callOptions) },
  remove: { deviceId: text, as: optional(callOptions) },
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
};

const subject = fields({
  user: optional(name),
  role: optional(name),
  agent: optional(name),
  session: optional(name),
} satisfies Record<keyof GrantSubject, ArgumentCheck>);

const newGrant = fields({
  subject,
  resource: text,
  actions: texts,
  condition: optional(name),
  skipsApproval: optional(flag),
  definition: optional(name),
  targets: optional(texts),
  expiresAt: optional(moment),
  by: text,
  note: optional(name),
} satisfies Record<keyof NewGrant, ArgumentCheck>);

export const PERMISSION_CHECKS: MethodChecks<Permissions> = {
  grant: { grant: newGrant },
  revoke: { id: text, by: optional(text) },
};

export const RESULT_CHECKS: MethodChecks<CribResults> = {
  read: { handle: text, range: optional(range), caller: optional(callOptions) },
  forget: { what: either(fields({ tool: text }), fields({ tag: text }), fields({ path: text })) },
};

const completion = fields({
  of: either(fields({ prompt: text }), fields({ template: text })),
  argument: name,
  typed: name,
  given: optional(object),
} satisfies Record<keyof CompletionAsked, ArgumentCheck>);

export const SERVER_CHECKS: MethodChecks<Servers> = {
  test: { name: text },
  logs: { name: text },
  restart: { name: text },
  connect: { server: someFields({ name: text }) },
  disconnect: { name: text },
  request: { name: text, request: fields({ method: text, params: optional(object) }) },
  readResource: { server: text, uri: text },
  getPrompt: { server: text, name: text, args: object },
  complete: { server: text, asked: completion },
  subscribe: { server: text, uri: text, changed: callback },
  watch: { changed: callback },
};

export const LOCK_CHECKS: MethodChecks<ToolLock> = {
  accept: { tools: list, by: text },
  forget: { tools: list },
};

const EVENT_NAMES: Readonly<Record<EventName, true>> = {
  'call.started': true,
  'call.progressed': true,
  'call.finished': true,
  'call.traced': true,
  'approval.requested': true,
  'approval.decided': true,
  'permission.granted': true,
  'permission.revoked': true,
  'policy.shadowed': true,
  'tool.registered': true,
  'tool.unregistered': true,
  'tool.switched': true,
  'server.changed': true,
  'server.notified': true,
  'circuit.opened': true,
  'circuit.closed': true,
  'health.changed': true,
  'alert.fired': true,
  'alert.resolved': true,
  'effect.notified': true,
  'workflow.completed': true,
  'flow.registered': true,
  'flow.changed': true,
  'flow.stepped': true,
  'file.changed': true,
};

const eventName: ArgumentCheck = (value) =>
  text(value) ??
  (Object.hasOwn(EVENT_NAMES, value as string)
    ? undefined
    : unknownNameText(value as string, Object.keys(EVENT_NAMES)));

export const EVENT_CHECKS: MethodChecks<Events> = {
  on: { name: eventName, listener: callback },
};

const filter = fields({
  source: optional(texts),
  category: optional(texts),
  tier: optional(texts),
  tags: optional(texts),
  capabilities: optional(texts),
  range: optional(name),
  enabled: optional(flag),
} satisfies Record<keyof ToolFilter, ArgumentCheck>);

const searchQuery = fields({
  text: name,
  rankBy: optional(oneOf('relevance', 'popularity', 'recent', 'performance')),
  fuzzy: optional(flag),
  limit: optional(amount),
  filter: optional(filter),
} satisfies Record<keyof SearchQuery, ArgumentCheck>);

/** Text or object: which one was meant decides what is said about it. */
const query: ArgumentCheck = (value) =>
  typeof value === 'object' && value !== null ? searchQuery(value) : name(value);

const provider = oneOf('openai', 'anthropic', 'gemini', 'mcp');

export const CATALOG_CHECKS: MethodChecks<Catalog> = {
  register: { tool },
  registerAll: { tools: list },
  unregister: { name, version: optional(name) },
  update: { tool },
  get: { name, version: optional(name) },
  has: { name },
  list: { filter: optional(filter) },
  search: { query },
  suggest: { name },
  versions: { name },
  setActive: { name, version: text },
  deprecate: { name, version: text },
  setEnabled: { name, enabled: flag },
  dependencies: { name: optional(name) },
  tokens: { name },
  tokenReport: { filter: optional(filter) },
  forModel: { provider, filter: optional(filter) },
  inputSchema: { name },
  outputSchema: { name },
};

export const SYNC_CATALOG = [
  'register',
  'registerAll',
  'get',
  'has',
  'list',
  'search',
  'suggest',
  'versions',
  'setActive',
  'deprecate',
  'setEnabled',
  'dependencies',
  'forModel',
  'inputSchema',
  'outputSchema',
] as const satisfies readonly (keyof Catalog)[];

const setFields: Record<keyof ToolSetOptions, ArgumentCheck> = {
  filter: optional(filter),
  names: optional(texts),
  caller: optional(callOptions),
  surface: optional(oneOf('full', 'search')),
  scope: optional(name),
};
const options = optional(fields(setFields));
const aiSdkOptions = optional(
  fields({
    ...setFields,
    streamProgress: optional(flag),
    approvalParts: optional(fields({ decidedBy: text, messages: optional(list) })),
  } satisfies Record<keyof AiSdkOptions, ArgumentCheck>),
);

export const TOOL_SET_CHECKS: MethodChecks<ToolSets> = {
  forAiSdk: { options: aiSdkOptions },
  forOpenAI: { options },
  forAnthropic: { options },
  forLangChain: { options },
  forOpenAIAgents: { options },
  forGemini: { options },
  forMastra: { options },
};
