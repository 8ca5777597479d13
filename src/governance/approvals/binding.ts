/**
 * Binds an approval to one caller, one tool with one definition, one input, the targets it led to
 * and their state, under one version of the policy. Anything else is another call and needs another
 * approval.
 */
import type { ApprovalRecord } from '../../contract/approver.ts';
import type { Caller } from '../../contract/caller.ts';
import type { PathState } from '../../contract/path-state.ts';
import type { Tool } from '../../contract/tool.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { isSamePath } from '../paths/path-state.ts';

export type Binding = Pick<
  ApprovalRecord,
  | 'userId'
  | 'agentId'
  | 'sessionId'
  | 'tool'
  | 'version'
  | 'inputDigest'
  | 'definition'
  | 'targets'
  | 'states'
  | 'policyVersion'
>;

/** What was approved, and when it was asked. */
export type BoundApproval = Binding & { readonly createdAt?: number | undefined };

export interface BoundCall {
  readonly tool: Tool;
  readonly caller: Caller;
  readonly input: unknown;
  /** Digest of the tool's definition. */
  readonly definition: string;
  readonly targets: readonly string[];
  /** What the paths among the targets consist of. */
  readonly states: readonly PathState[];
  readonly policyVersion: string;
}

export const bindingOf = (call: BoundCall): Binding => ({
  userId: call.caller.userId,
  agentId: call.caller.agentId,
  sessionId: call.caller.sessionId,
  tool: call.tool.name,
  version: call.tool.version,
  inputDigest: digestOf(call.input),
  definition: call.definition,
  targets: call.targets,
  states: call.states,
  policyVersion: call.policyVersion,
});

const FIELDS = [
  'userId',
  'agentId',
  'sessionId',
  'tool',
  'version',
  'inputDigest',
  'definition',
  'policyVersion',
] as const satisfies readonly (keyof Binding)[];

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);

/** Tells whether the files and folders are those that were there when the person was asked. */
const sameStates = ({ states: before = [], createdAt }: BoundApproval, call: Binding): boolean => {
  const { states: now = [] } = call;
  // Without a time nothing counts as created since.
  const askedAt = createdAt ?? Number.POSITIVE_INFINITY;
  return (
    before.length === now.length &&
    before.every((state, at) => isSamePath(state, now[at] as PathState, askedAt))
  );
};

/** Tells whether the approval is for exactly this call; a record of an older format never is. */
export const fits = (record: BoundApproval, call: Binding): boolean =>
  FIELDS.every((field) => record[field] !== undefined && record[field] === call[field]) &&
  Array.isArray(record.targets) &&
  sameList(record.targets, call.targets) &&
  sameStates(record, call);

/** The first difference between the call and the approval. */
export type Difference = 'targets' | 'states' | 'definition' | 'policyVersion' | 'call';

export const differenceOf = (approved: BoundApproval, call: Binding): Difference | undefined => {
  if (fits(approved, call)) return undefined;
  if (approved.definition !== call.definition) return 'definition';
  if (approved.policyVersion !== call.policyVersion) return 'policyVersion';
  if (!sameList(approved.targets, call.targets)) return 'targets';
  return sameStates(approved, call) ? 'call' : 'states';
};

/** Makes the key by which a store finds approvals of the same call. */
export const callKeyOf = (
  binding: Binding,
  { within, step }: Pick<ApprovalRecord, 'within' | 'step'>,
): string => digestOf({ ...binding, within: within ?? null, ...(step !== undefined && { step }) });

const NAMES = ['userId', 'agentId', 'sessionId'] as const;

/** Tells whether the request that a person sees is what the answer will be bound to. */
export const showsWhatItBinds = (record: ApprovalRecord): boolean => {
  const { request, tool, version, inputDigest, definition } = record;
  return (
    NAMES.every((name) => request.caller[name] === record[name]) &&
    request.tool === tool &&
    request.version === version &&
    request.definition === definition &&
    digestOf(request.input) === inputDigest &&
    sameList(request.targets, shownTargets(record.targets))
  );
};

/** Lists each target once, in the order of the input. */
export const shownTargets = (targets: readonly string[]): readonly string[] => [
  ...new Set(targets),
];
