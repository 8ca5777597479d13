/**
 * What all adapters share: a set of tools for a model, and the one way its calls take into the
 * crib. A tool that was not shown cannot be called, whatever else the crib holds.
 */
import { randomUUID } from 'node:crypto';
import type { ApprovalAnswer, ApprovalRecord, Approver } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { ModelTools } from '../contract/catalog.ts';
import type { Crib, DryRunReport } from '../contract/crib.ts';
import { ToolFailure, toolError } from '../contract/errors.ts';
import type { JsonSchema } from '../contract/schema.ts';
import type { AiSdkOptions, ToolReply, ToolSetOptions } from '../contract/tool-sets.ts';
import { assertArguments } from '../kit/data/check-arguments.ts';
import { answerMeta, CALL_TOOL, innerCall, type MetaDeps } from '../kit/model/meta-tools.ts';
import { failedReply, replyOf } from './replies.ts';
import {
  AI_SDK_ARGUMENTS,
  chosenTools,
  type Dialect,
  definitionsOf,
  type Entries,
  META_TOOLS,
  type SchemasOf,
  SET_ARGUMENTS,
  type ShownTool,
  schemasOf,
} from './shown-tools.ts';
import { callDigest, type WaitingCalls, waitingCalls } from './waiting-calls.ts';

export interface ModelCall {
  readonly name: string;
  readonly input: unknown;
  /** The id that the model or its provider gave the call; the same id again is the same call. */
  readonly callId: string | undefined;
  readonly signal: AbortSignal | undefined;
  onProgress?(fraction: number, note: string | undefined): void;
}

export interface ToolSet {
  readonly shown: readonly ShownTool[];
  readonly losses: ModelTools['losses'];
  has(name: string): boolean;
  /** Returns the schema that the pipeline judges by, not the one in the provider's dialect. */
  inputSchema(name: string): JsonSchema | undefined;
  /** Rejects only when the crib is closed. */
  call(call: ModelCall): Promise<ToolReply>;
  /** Tells whether a person is asked about this call, and puts the question into the inbox if so. */
  asksPerson(call: ModelCall): Promise<boolean>;
  /** Decides a waiting call of this set in the name of a person whom the program has authenticated. */
  decide(call: Pick<ModelCall, 'name' | 'input'>, answer: ApprovalAnswer): Promise<boolean>;
}

/** What all calls of a set share. */
interface SetDeps {
  readonly crib: Crib;
  readonly options: ToolSetOptions;
  readonly scope: string;
  /** The tools that may be called. */
  readonly entries: Entries;
  readonly schemas: SchemasOf;
  readonly waiting: WaitingCalls;
}

/** Refuses a name that is not in the set. A name that no tool of the crib has is put on record. */
const refuseUnknown = async (
  { crib, options, entries }: SetDeps,
  name: string,
): Promise<ToolReply> => {
  const recorded = !crib.tools.has(name)
    ? await crib.execute(name, {}, { ...options.caller, dryRun: true })
    : undefined;
  const close = crib.tools.suggest(name).filter((each) => entries.has(each));
  const suggestions = close.length > 0 ? [`Did you mean ${close.join(' or ')}?`] : [];
  const refusal = failedReply(toolError('TOOL_NOT_FOUND', undefined, { suggestions }));
  return recorded ? { ...refusal, executionId: recorded.metadata.executionId } : refusal;
};

const callShown = (deps: SetDeps, call: ModelCall): Promise<ToolReply> => {
  const { crib, options, scope, entries, waiting } = deps;
  const entry = entries.get(call.name);
  if (!entry) return refuseUnknown(deps, call.name);
  const { name, version } = entry.tool;
  const { callId, signal, onProgress } = call;
  const as: CallAs = {
    ...options.caller,
    audience: 'model',
    // The model was shown the version that fits the range, which may not be the active one.
    ...(options.filter?.range !== undefined && { version }),
    ...(callId && { idempotencyKey: `${scope}/${callId}` }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  };
  return waiting
    .execute({ tool: name, input: call.input }, (approvalId) =>
      crib.execute(name, call.input, approvalId === undefined ? as : { ...as, approvalId }),
    )
    .then(replyOf);
};

/** Leaves every question in the inbox instead of asking the crib's approver. */
const LATER: Approver = { ask: async () => ({ answer: 'later', by: 'adapter' }) };

const asksPerson = async (deps: SetDeps, call: ModelCall): Promise<boolean> => {
  const { crib, options, entries, waiting } = deps;
  const entry = entries.get(call.name);
  if (!entry) return false;
  const { name, version } = entry.tool;
  if (waiting.has({ tool: name, input: call.input })) return true;
  const as: CallAs = { ...options.caller, dryRun: true };
  const pinned = options.filter?.range === undefined ? as : { ...as, version };
  const { data } = await crib.execute(name, call.input, pinned);
  if ((data as Partial<DryRunReport> | undefined)?.verdict !== 'ask') return false;
  const askingLater = {
    ...deps,
    options: { ...options, caller: { ...options.caller, approver: LATER } },
  };
  return (await callShown(askingLater, call)).approval !== undefined;
};

/** Tells the questions of this caller: a history must not decide those of others. */
const isOwn = (record: ApprovalRecord, caller: ToolSetOptions['caller']): boolean => {
  const { userId, agentId, sessionId } = { ...LOCAL_CALLER, ...caller };
  return record.userId === userId && record.agentId === agentId && record.sessionId === sessionId;
};

const decideWaiting = async (
  { crib, options, entries, waiting }: SetDeps,
  call: { readonly name: string; readonly input: unknown },
  answer: ApprovalAnswer,
): Promise<boolean> => {
  const tool = entries.get(call.name)?.tool.name;
  const digest = tool === undefined ? undefined : callDigest({ tool, input: call.input });
  if (tool === undefined || digest === undefined) return false;
  const record = (await crib.approvals.list()).find(
    (each) =>
      each.tool === tool &&
      isOwn(each, options.caller) &&
      callDigest({ tool, input: each.request.input }) === digest,
  );
  if (!record || !(await crib.approvals.decide(record.id, answer))) return false;
  waiting.remember({ tool, input: call.input }, record.id);
  return true;
};

/** Returns the call inside a call of `call_tool`; nothing for the other tools of the search surface. */
const calledThrough = ({ name, input }: Pick<ModelCall, 'name' | 'input'>) => {
  if (name !== CALL_TOOL.name) return undefined;
  try {
    return innerCall(input);
  } catch {
    return undefined;
  }
};

/** Limits search and description to the tools of the set, by their wire names. */
const metaDeps = ({ crib: { tools }, entries, schemas }: SetDeps): MetaDeps => ({
  search: (text, limit) =>
    tools
      // No limit here: tools that are not in the set are removed afterwards.
      .search({ text, limit: tools.list().length, filter: { enabled: true } })
      .flatMap(({ entry }) => entries.get(entry.wireName) ?? [])
      .slice(0, limit),
  entry: (name) => entries.get(name),
  suggest: (name) => tools.suggest(name).filter((each) => entries.has(each)),
  schemas: ({ wireName }) => schemas(wireName),
});

const callMeta = async (deps: SetDeps, call: ModelCall): Promise<ToolReply> => {
  try {
    if (call.name !== CALL_TOOL.name) {
      const data = answerMeta(metaDeps(deps), call.name, call.input);
      return { success: true, status: 'success', data };
    }
    return await callShown(deps, { ...call, ...innerCall(call.input) });
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return failedReply(toolError(error.code, error.message, error.extras));
  }
};

/** Opens a set with the options of the AI SDK's adapter, which has more of them. */
export const openAiSdkSet = (crib: Crib, options: AiSdkOptions): ToolSet => {
  assertArguments(AI_SDK_ARGUMENTS, [crib, options]);
  return toolSet(crib, 'anthropic', options);
};

/**
 * Fails with VALIDATION_ERROR for options that are not known or of the wrong kind, with
 * TOOL_NOT_FOUND for a tool that does not exist.
 */
export const openToolSet = (
  crib: Crib,
  dialect: Dialect,
  options: ToolSetOptions = {},
): ToolSet => {
  assertArguments(SET_ARGUMENTS, [crib, options]);
  return toolSet(crib, dialect, options);
};

const toolSet = (crib: Crib, dialect: Dialect, options: ToolSetOptions): ToolSet => {
  const entries = chosenTools(crib, options);
  const { shown, losses } = definitionsOf(crib, { ...options, dialect }, entries);
  const isSearch = options.surface === 'search';
  const visible = isSearch ? META_TOOLS : shown;
  const names = new Set(visible.map(({ name }) => name));
  const scope = options.scope ?? options.caller?.sessionId ?? randomUUID();
  // A tool that the provider's dialect cannot describe must not be callable by a guessed name.
  const callable = isSearch ? entries : new Map([...entries].filter(([name]) => names.has(name)));
  const schemas = schemasOf(crib, options);
  const deps: SetDeps = {
    crib,
    options,
    scope,
    entries: callable,
    schemas,
    waiting: waitingCalls(),
  };
  return {
    shown: visible,
    losses: isSearch ? [] : losses,
    has: (name) => names.has(name),
    inputSchema: (name) => (isSearch ? undefined : schemas(name)?.inputSchema),
    call(call) {
      if (!isSearch) return callShown(deps, call);
      // The other tools are reached through these, not by their names.
      return names.has(call.name) ? callMeta(deps, call) : refuseUnknown(deps, call.name);
    },
    async asksPerson(call) {
      const inner = isSearch ? calledThrough(call) : call;
      return inner !== undefined && asksPerson(deps, { ...call, ...inner });
    },
    async decide(call, answer) {
      const inner = isSearch ? calledThrough(call) : call;
      return inner !== undefined && decideWaiting(deps, inner, answer);
    },
  };
};
