/**
 * What all adapters share: which tools a model is shown, and the one way its calls take into the
 * crib. A name that was not shown is not callable, whatever else the crib holds.
 */
import { randomUUID } from 'node:crypto';
import type { ApprovalAnswer, ApprovalRecord, Approver } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import { LOCAL_CALLER } from '../contract/caller.ts';
import type { CatalogEntry, ModelTools } from '../contract/catalog.ts';
import type { Crib, DryRunReport } from '../contract/crib.ts';
import { ToolFailure, toolError } from '../contract/errors.ts';
import type { JsonSchema } from '../contract/schema.ts';
import type { AiSdkOptions, ToolReply, ToolSetOptions } from '../contract/tool-sets.ts';
import {
  type ArgumentCheck,
  crib as aCrib,
  assertArguments,
  fields,
  flag,
  list,
  name,
  object,
  oneOf,
  optional,
  text,
  texts,
} from '../kit/data/check-arguments.ts';
import { lazy } from '../kit/data/lazy.ts';
import {
  answerMeta,
  CALL_TOOL,
  DESCRIBE_TOOL,
  innerCall,
  type MetaDeps,
  SEARCH_TOOLS,
  type ToolSchemas,
} from '../kit/model/meta-tools.ts';
import { failedReply, replyOf } from './replies.ts';
import { callDigest, type WaitingCalls, waitingCalls } from './waiting-calls.ts';

/** A tool as one provider is told of it. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly strict: boolean;
}

export interface WantedCall {
  readonly name: string;
  readonly input: unknown;
  /** As the model or its provider named the call; the same name again is the same call. */
  readonly callId: string | undefined;
  readonly signal: AbortSignal | undefined;
  onProgress?(fraction: number, note: string | undefined): void;
}

export interface ToolSet {
  readonly shown: readonly ShownTool[];
  readonly losses: ModelTools['losses'];
  has(name: string): boolean;
  /** The schema that the pipeline judges by, not the one in the provider's dialect. */
  inputSchema(name: string): JsonSchema | undefined;
  /** Rejects only when the crib is closed. */
  call(wanted: WantedCall): Promise<ToolReply>;
  /** Tells whether a person is asked about this call, and puts the question into the inbox if so. */
  asksPerson(wanted: WantedCall): Promise<boolean>;
  /** Lets a person, whom the program vouches for, decide about a call of this set that waits. */
  decide(wanted: Pick<WantedCall, 'name' | 'input'>, answer: ApprovalAnswer): Promise<boolean>;
}

type Dialect = 'openai' | 'anthropic' | 'gemini';

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: JsonSchema;
  readonly parameters?: JsonSchema;
  readonly strict?: boolean;
}

const shownTool = (definition: Readonly<Record<string, unknown>>): ShownTool => {
  const { name, description, ...rest } = (definition.function ?? definition) as Definition;
  const schema = rest.parameters ?? rest.input_schema ?? {};
  return { name, description, schema, strict: rest.strict ?? false };
};

type Entries = ReadonlyMap<string, CatalogEntry>;

/** The tools to show, by wire name. */
const chosen = ({ tools }: Crib, { filter, names }: ToolSetOptions): Entries => {
  const unknown = (names ?? []).filter((name) => !tools.has(name));
  if (unknown.length > 0) {
    throw new ToolFailure('TOOL_NOT_FOUND', `There is no tool called ${unknown.join(', ')}.`);
  }
  const wanted = names && new Set(names.map((name) => tools.get(name)?.tool.name));
  const entries = tools
    .list({ ...filter, enabled: true })
    .filter(({ quarantine, tool }) => !quarantine && (!wanted || wanted.has(tool.name)));
  return new Map(entries.map((entry) => [entry.wireName, entry]));
};

const definitionsOf = (
  { tools }: Crib,
  { filter, dialect }: ToolSetOptions & { readonly dialect: Dialect },
  entries: Entries,
): Pick<ToolSet, 'shown' | 'losses'> => {
  const { definitions, losses } = tools.forModel(dialect, filter);
  const names = new Set([...entries.values()].map(({ tool }) => tool.name));
  return {
    shown: definitions.map(shownTool).filter(({ name }) => entries.has(name)),
    losses: losses.filter(({ tool }) => names.has(tool)),
  };
};

/** By wire name; nothing for a tool whose input is no object. */
type SchemasOf = (name: string) => ToolSchemas | undefined;

/** The schemas as they are, of the very version that is shown: MCP takes any. */
const schemasOf = ({ tools }: Crib, { filter }: ToolSetOptions): SchemasOf => {
  const schemas = lazy(
    () =>
      new Map(
        tools
          .forModel('mcp', filter)
          .definitions.map((each) => [String(each.name), each as unknown as ToolSchemas]),
      ),
  );
  return (name) => schemas().get(name);
};

/** Everything a call needs that is the same for all calls of a set. */
interface Site {
  readonly crib: Crib;
  readonly options: ToolSetOptions;
  readonly scope: string;
  /** What may be called, by wire name. */
  readonly entries: Entries;
  readonly schemas: SchemasOf;
  readonly waiting: WaitingCalls;
}

/** The attempt is on record where no tool of the crib is meant by it. */
const refuseUnknown = async (
  { crib, options, entries }: Site,
  name: string,
): Promise<ToolReply> => {
  const isNowhere = !crib.tools.has(name);
  const recorded = isNowhere
    ? await crib.execute(name, {}, { ...options.caller, dryRun: true })
    : undefined;
  const close = crib.tools.suggest(name).filter((each) => entries.has(each));
  const suggestions = close.length > 0 ? [`Did you mean ${close.join(' or ')}?`] : [];
  const refusal = failedReply(toolError('TOOL_NOT_FOUND', undefined, { suggestions }));
  return recorded ? { ...refusal, executionId: recorded.metadata.executionId } : refusal;
};

const callShown = (deps: Site, wanted: WantedCall): Promise<ToolReply> => {
  const { crib, options, scope, entries, waiting } = deps;
  const entry = entries.get(wanted.name);
  if (!entry) return refuseUnknown(deps, wanted.name);
  const { name, version } = entry.tool;
  const { callId, signal, onProgress } = wanted;
  const as: CallAs = {
    ...options.caller,
    audience: 'model',
    // The model was shown the version that fits the range, which need not be the active one.
    ...(options.filter?.range !== undefined && { version }),
    ...(callId && { idempotencyKey: `${scope}/${callId}` }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  };
  return waiting
    .execute({ tool: name, input: wanted.input }, (approvalId) =>
      crib.execute(name, wanted.input, approvalId === undefined ? as : { ...as, approvalId }),
    )
    .then(replyOf);
};

/** Leaves every question in the inbox, whoever else the crib would ask. */
const LATER: Approver = { ask: async () => ({ answer: 'later', by: 'adapter' }) };

const asksPerson = async (deps: Site, wanted: WantedCall): Promise<boolean> => {
  const { crib, options, entries, waiting } = deps;
  const entry = entries.get(wanted.name);
  if (!entry) return false;
  const { name, version } = entry.tool;
  if (waiting.has({ tool: name, input: wanted.input })) return true;
  const as: CallAs = { ...options.caller, dryRun: true };
  const pinned = options.filter?.range === undefined ? as : { ...as, version };
  const { data } = await crib.execute(name, wanted.input, pinned);
  if ((data as Partial<DryRunReport> | undefined)?.verdict !== 'ask') return false;
  const asked = {
    ...deps,
    options: { ...options, caller: { ...options.caller, approver: LATER } },
  };
  return (await callShown(asked, wanted)).approval !== undefined;
};

/** Only questions about calls of this caller: a history cannot name those of anybody else. */
const isOwn = (record: ApprovalRecord, caller: ToolSetOptions['caller']): boolean => {
  const { userId, agentId, sessionId } = { ...LOCAL_CALLER, ...caller };
  return record.userId === userId && record.agentId === agentId && record.sessionId === sessionId;
};

const decideWaiting = async (
  { crib, options, entries, waiting }: Site,
  wanted: { readonly name: string; readonly input: unknown },
  answer: ApprovalAnswer,
): Promise<boolean> => {
  const tool = entries.get(wanted.name)?.tool.name;
  const digest = tool === undefined ? undefined : callDigest({ tool, input: wanted.input });
  if (tool === undefined || digest === undefined) return false;
  const record = (await crib.approvals.list()).find(
    (each) =>
      each.tool === tool &&
      isOwn(each, options.caller) &&
      callDigest({ tool, input: each.request.input }) === digest,
  );
  if (!record || !(await crib.approvals.decide(record.id, answer))) return false;
  waiting.remember({ tool, input: wanted.input }, record.id);
  return true;
};

/** What a call of `call_tool` is about; nothing for the other tools of the search surface. */
const calledThrough = ({ name, input }: Pick<WantedCall, 'name' | 'input'>) => {
  if (name !== CALL_TOOL.name) return undefined;
  try {
    return innerCall(input);
  } catch {
    return undefined;
  }
};

const META_TOOLS: readonly ShownTool[] = [SEARCH_TOOLS, DESCRIBE_TOOL, CALL_TOOL].map((tool) => ({
  ...tool,
  strict: false,
}));

/** Those of the set, and by the names that the model was given. */
const metaDeps = ({ crib: { tools }, entries, schemas }: Site): MetaDeps => ({
  search: (text, limit) =>
    tools
      // All of them: whatever is not of this set is taken out afterwards.
      .search({ text, limit: tools.list().length, filter: { enabled: true } })
      .flatMap(({ entry }) => entries.get(entry.wireName) ?? [])
      .slice(0, limit),
  entry: (name) => entries.get(name),
  suggest: (name) => tools.suggest(name).filter((each) => entries.has(each)),
  schemas: ({ wireName }) => schemas(wireName),
});

const callMeta = async (deps: Site, wanted: WantedCall): Promise<ToolReply> => {
  try {
    if (wanted.name !== CALL_TOOL.name) {
      const data = answerMeta(metaDeps(deps), wanted.name, wanted.input);
      return { success: true, status: 'success', data };
    }
    return await callShown(deps, { ...wanted, ...innerCall(wanted.input) });
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return failedReply(toolError(error.code, error.message, error.extras));
  }
};

/** The fields of a filter are checked by the catalog, those of a caller with each call. */
const SET_OPTIONS = {
  filter: optional(object),
  names: optional(texts),
  caller: optional(object),
  surface: optional(oneOf('full', 'search')),
  scope: optional(name),
} satisfies Record<keyof ToolSetOptions, ArgumentCheck>;

const setArguments = { crib: aCrib, options: optional(fields(SET_OPTIONS)) };

const aiSdkArguments = {
  crib: aCrib,
  options: optional(
    fields({
      ...SET_OPTIONS,
      streamProgress: optional(flag),
      approvalParts: optional(fields({ decidedBy: text, messages: optional(list) })),
    } satisfies Record<keyof AiSdkOptions, ArgumentCheck>),
  ),
};

/** Opens a set with the options of the AI SDK's adapter, which has more of them. */
export const openAiSdkSet = (crib: Crib, options: AiSdkOptions): ToolSet => {
  assertArguments(aiSdkArguments, [crib, options]);
  return toolSet(crib, 'anthropic', options);
};

/**
 * Fails with VALIDATION_ERROR for options that are not known or of the wrong kind, with TOOL_NOT_FOUND
 * for a tool that does not exist.
 */
export const openToolSet = (
  crib: Crib,
  dialect: Dialect,
  options: ToolSetOptions = {},
): ToolSet => {
  assertArguments(setArguments, [crib, options]);
  return toolSet(crib, dialect, options);
};

const toolSet = (crib: Crib, dialect: Dialect, options: ToolSetOptions): ToolSet => {
  const entries = chosen(crib, options);
  const { shown, losses } = definitionsOf(crib, { ...options, dialect }, entries);
  const isSearch = options.surface === 'search';
  const visible = isSearch ? META_TOOLS : shown;
  const names = new Set(visible.map(({ name }) => name));
  const scope = options.scope ?? options.caller?.sessionId ?? randomUUID();
  // A tool that this provider cannot be told of is not called by a model that guessed its name.
  const callable = isSearch ? entries : new Map([...entries].filter(([name]) => names.has(name)));
  const schemas = schemasOf(crib, options);
  const deps: Site = { crib, options, scope, entries: callable, schemas, waiting: waitingCalls() };
  return {
    shown: visible,
    losses: isSearch ? [] : losses,
    has: (name) => names.has(name),
    inputSchema: (name) => (isSearch ? undefined : schemas(name)?.inputSchema),
    call(wanted) {
      if (!isSearch) return callShown(deps, wanted);
      // The other tools are reached through these, and not by their names.
      return names.has(wanted.name) ? callMeta(deps, wanted) : refuseUnknown(deps, wanted.name);
    },
    async asksPerson(wanted) {
      const inner = isSearch ? calledThrough(wanted) : wanted;
      return inner !== undefined && asksPerson(deps, { ...wanted, ...inner });
    },
    async decide(wanted, answer) {
      const inner = isSearch ? calledThrough(wanted) : wanted;
      return inner !== undefined && decideWaiting(deps, inner, answer);
    },
  };
};
