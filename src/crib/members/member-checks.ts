/** What the arguments of the other members have to be, by group and method. */
import type { CallAs, CallerAs, CallOptions } from '../../contract/call-options.ts';
import type {
  CribApprovals,
  CribExecutions,
  CribResults,
  Permissions,
} from '../../contract/crib-members.ts';
import type { CribDevices } from '../../contract/devices.ts';
import type { EventName, Events } from '../../contract/events.ts';
import type { GrantSubject, NewGrant } from '../../contract/grant.ts';
import type { CompletionAsked, Servers } from '../../contract/servers.ts';
import {
  type ArgumentCheck,
  anything,
  callback,
  either,
  fields,
  flag,
  moment,
  name,
  object,
  oneOf,
  optional,
  range,
  someFields,
  text,
  texts,
} from '../../kit/data/check-arguments.ts';
import { unknownNameText } from '../../kit/text/did-you-mean.ts';
import { optionsFault } from '../../pipeline/request-fault.ts';
import type { MethodChecks } from './checked.ts';

/** Checks who calls, and how: the same names and kinds that `execute` takes. */
export const callOptions: ArgumentCheck = (value) => {
  const fault = optionsFault(value);
  return fault && `${fault.path.join('.')} ${fault.message}`;
};

/** The options of a call that say who acts. Methods that make no call take only these. */
const OF_CALLER: Readonly<Record<keyof CallerAs, true>> = {
  userId: true,
  agentId: true,
  sessionId: true,
  loopId: true,
  roles: true,
  permissions: true,
  tools: true,
  authenticated: true,
  isolation: true,
  dailyUsd: true,
};

/** What to do instead of giving an option that is about one call. */
export type InsteadOf = Readonly<Partial<Record<keyof CallOptions, string>>>;

/**
 * Checks options of a method's own, and beside them those that say who acts. Options about one call are
 * refused: a `dryRun` that is ignored would do what was to be rehearsed.
 */
export const callerAnd = (
  own: Readonly<Record<string, ArgumentCheck>>,
  insteadOf: InsteadOf = {},
): ArgumentCheck => {
  const names = Object.keys(own);
  const check = someFields(own);
  const isTaken = (name: string): boolean => Object.hasOwn(OF_CALLER, name) || names.includes(name);
  return (value) => {
    const fault = optionsFault(value, names);
    if (fault) return `${fault.path.join('.')} ${fault.message}`;
    const given = Object.entries((value ?? {}) as CallOptions);
    const foreign = given.find(([name, each]) => each !== undefined && !isTaken(name));
    if (!foreign) return check(value);
    const name = foreign[0] as keyof CallOptions;
    return `has no ${name}${insteadOf[name] ?? ': it is of a single call'}`;
  };
};

/** Who acts, where no call is made. */
export const callerOptions = callerAnd({});

/** Refuses options whose answer would not be what a server sent. */
const readOptions: ArgumentCheck = (value) => {
  const { dryRun, audience } = (value ?? {}) as CallAs;
  if (dryRun !== undefined) return 'has no dryRun: a read has nothing to rehearse';
  if (audience !== undefined) return 'has no audience: a read is answered in full';
  return callOptions(value);
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

/** `undo` is missing: like every call, it reports invalid arguments in its result. */
export const EXECUTION_CHECKS: MethodChecks<CribExecutions> = {
  status: { executionId: text },
  running: {},
  cancel: { executionId: text },
  isUndoable: { executionId: text },
  cleanup: { executionId: text },
};

export const DEVICE_CHECKS: MethodChecks<CribDevices> = {
  add: { device: fields({ token: text, platform: text }), as: optional(callerOptions) },
  list: { as: optional(callerOptions) },
  remove: { deviceId: text, as: optional(callerOptions) },
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
  resources: { server: optional(text) },
  templates: { server: optional(text) },
  prompts: { server: optional(text) },
  readResource: { server: text, uri: text, as: optional(readOptions) },
  getPrompt: { server: text, name: text, args: object, as: optional(readOptions) },
  complete: { server: text, asked: completion, as: optional(readOptions) },
  subscribe: { server: text, uri: text, changed: callback, as: optional(readOptions) },
  watch: { changed: callback },
};

const EVENT_NAMES: Readonly<Record<EventName, true>> = {
  'call.started': true,
  'call.progressed': true,
  'call.finished': true,
  'call.measured': true,
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
