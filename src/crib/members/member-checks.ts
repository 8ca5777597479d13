/** By group and method: what the arguments have to be. */
import type { Catalog } from '../../contract/catalog.ts';
import type {
  CribApprovals,
  CribAudit,
  CribExecutions,
  CribResults,
  CribUsage,
  Permissions,
} from '../../contract/crib-members.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolLock } from '../../contract/lock.ts';
import type { Servers } from '../../contract/servers.ts';
import type { ToolSets } from '../../contract/tool-sets.ts';
import {
  callback,
  either,
  fields,
  flag,
  list,
  name,
  object,
  optional,
  range,
  text,
  tool,
} from './check-arguments.ts';
import type { MethodChecks } from './checked.ts';

const STATES: readonly unknown[] = ['waiting', 'approved', 'denied', 'used'];
const state = (value: unknown) =>
  STATES.includes(value) ? undefined : 'has to be waiting, approved, denied or used';

export const APPROVAL_CHECKS: MethodChecks<CribApprovals> = {
  list: { filter: optional(fields({ state: optional(state) })) },
  get: { approvalId: text },
  decide: { approvalId: text, answer: fields({ approve: flag, by: text }) },
  links: { approvalId: text },
  decideByLink: { link: text },
};

export const AUDIT_CHECKS: MethodChecks<CribAudit> = {
  query: { filter: optional(object) },
  verify: {
    expected: optional(
      fields({
        seq: (seq) => (Number.isSafeInteger(seq) ? undefined : 'has to be a whole number'),
        hash: text,
      }),
    ),
  },
};

/** `undo` answers with a result instead, as every call does. */
export const EXECUTION_CHECKS: MethodChecks<CribExecutions> = {
  status: { executionId: text },
  cancel: { executionId: text },
  isUndoable: { executionId: text },
  cleanup: { executionId: text },
};

export const PERMISSION_CHECKS: MethodChecks<Permissions> = {
  grant: { grant: fields({ subject: object, resource: text, actions: list, by: text }) },
  revoke: { id: text, by: optional(text) },
};

export const RESULT_CHECKS: MethodChecks<CribResults> = {
  read: { handle: text, range: optional(range), caller: optional(object) },
  forget: { what: either(fields({ tool: text }), fields({ tag: text }), fields({ path: text })) },
};

export const USAGE_CHECKS: MethodChecks<CribUsage> = {
  summary: { filter: optional(fields({ period: optional(text) })) },
};

export const SERVER_CHECKS: MethodChecks<Servers> = {
  test: { name: text },
  logs: { name: text },
  restart: { name: text },
  readResource: { server: text, uri: text },
  getPrompt: { server: text, name: text, args: object },
  complete: { server: text, asked: object },
  subscribe: { server: text, uri: text, changed: callback },
  watch: { changed: callback },
};

export const LOCK_CHECKS: MethodChecks<ToolLock> = {
  accept: { tools: list, by: text },
  forget: { tools: list },
};

export const EVENT_CHECKS: MethodChecks<Events> = {
  on: { name: text, listener: callback },
};

export const CATALOG_CHECKS: MethodChecks<Catalog> = {
  register: { tool },
  registerAll: { tools: list },
  unregister: { name, version: optional(name) },
  update: { tool },
  get: { name, version: optional(name) },
  has: { name },
  list: { filter: optional(object) },
  search: { query: either(name, object) },
  suggest: { name },
  versions: { name },
  setActive: { name, version: text },
  deprecate: { name, version: text },
  setEnabled: { name, enabled: flag },
  dependencies: { name: optional(name) },
  tokens: { name },
  tokenReport: { filter: optional(object) },
  forModel: { provider: text, filter: optional(object) },
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

const options = optional(object);
export const TOOL_SET_CHECKS: MethodChecks<ToolSets> = {
  forAiSdk: { options },
  forOpenAI: { options },
  forAnthropic: { options },
  forLangChain: { options },
  forOpenAIAgents: { options },
  forGemini: { options },
  forMastra: { options },
};
