/** Serves the operations of the tool container contract on top of single calls. */
import type { CallAs } from '../contract/call-options.ts';
import type { Caller } from '../contract/caller.ts';
import type { Catalog } from '../contract/catalog.ts';
import type { ChainOptions, CribChains } from '../contract/chain.ts';
import { type ToolError, ToolFailure, toolError } from '../contract/errors.ts';
import {
  type OrderedCall,
  PROCESS_OPERATIONS,
  type ProcessCall,
  type ProcessedCall,
  type ProcessRequest,
  type ProcessResult,
} from '../contract/process-request.ts';
import type { ToolResult } from '../contract/result.ts';
import { processRequestFault } from './process-request-fault.ts';
import { optionsFault } from './request-fault.ts';

export interface ProcessDeps {
  readonly tools: Catalog;
  readonly caller: (Partial<Caller> & Pick<CallAs, 'signal' | 'dailyUsd'>) | undefined;
  readonly chains: CribChains;
  execute(tool: string, input: unknown, as?: CallAs): Promise<ToolResult>;
}

type Orchestrated = Extract<ProcessRequest, { operation: 'orchestrate' }>;
type SingleCall = Extract<ProcessRequest, { operation: 'execute_single' }>;
type Outcome = Omit<ProcessResult, 'operation' | 'durationMs'>;

const processed = ({ id, tool }: ProcessCall, result: ToolResult | undefined): ProcessedCall => ({
  ...(id !== undefined && { id }),
  tool,
  status: result?.status ?? 'skipped',
  ...(result && { executionId: result.metadata.executionId }),
});

/**
 * Sums the calls up. `outcomes` has the result of each, in their order; nothing for one that did
 * not run.
 */
const summary = (
  calls: readonly ProcessCall[],
  outcomes: readonly (ToolResult | undefined)[],
): Outcome => {
  const results = outcomes.flatMap((result) => result ?? []);
  const good = results.filter(({ success }) => success).length;
  const status = good === calls.length ? 'success' : good > 0 ? 'partial' : 'failure';
  return {
    status,
    results,
    calls: calls.map((call, at) => processed(call, outcomes[at])),
    errors: results.flatMap(({ error }) => (error ? [error] : [])),
  };
};

/** Makes the calls as a chain or a graph; what is wrong with the whole is an error of the answer. */
const chain = async (
  calls: readonly OrderedCall[],
  options: ChainOptions,
  { chains, caller }: ProcessDeps,
): Promise<Outcome> => {
  try {
    const { results, ...made } = await chains.execute(calls, options, caller);
    const outcome = summary(
      calls,
      results.map(({ result }) => result),
    );
    const unmade = results.flatMap(({ result, error }) => (error && !result ? [error] : []));
    const { chainId, flow, totalResourcesUsed } = made;
    const errors = [...outcome.errors, ...unmade];
    return { ...outcome, errors, chain: { chainId, flow, totalResourcesUsed } };
  } catch (thrown) {
    return refused(thrown);
  }
};

/** Turns the refusal of a whole chain into an outcome; any other error is a bug and is rethrown. */
const refused = (thrown: unknown): Outcome => {
  if (!(thrown instanceof ToolFailure)) throw thrown;
  const errors = [toolError(thrown.code, thrown.message, thrown.extras)];
  return { status: 'failure', results: [], errors };
};

const validateChain = async (
  calls: readonly OrderedCall[],
  { chains, caller }: ProcessDeps,
): Promise<Outcome> => {
  try {
    const data = await chains.validate(calls, caller);
    return { status: data.ok ? 'success' : 'failure', results: [], errors: [], data };
  } catch (thrown) {
    return refused(thrown);
  }
};

const optimizeChain = async (
  calls: readonly OrderedCall[],
  { chains }: ProcessDeps,
): Promise<Outcome> => {
  try {
    return { status: 'success', results: [], errors: [], data: await chains.optimize(calls) };
  } catch (thrown) {
    return refused(thrown);
  }
};

/** Finds errors of the plan itself, before anything runs. */
const planErrors = (calls: Orchestrated['calls']): readonly ToolError[] => {
  const errors: ToolError[] = [];
  const ids = new Set<string>();
  for (const { id } of calls) {
    if (ids.has(id)) errors.push(toolError('VALIDATION_ERROR', `Two calls have the id ${id}.`));
    ids.add(id);
  }
  const needs = new Map(calls.map(({ id, dependsOn = [] }) => [id, new Set(dependsOn)]));
  for (const [id, dependsOn] of needs) {
    for (const other of dependsOn) {
      if (!ids.has(other)) {
        errors.push(
          toolError('VALIDATION_ERROR', `${id} depends on ${other}, which is not there.`),
        );
      }
    }
  }
  for (let before = -1; before !== needs.size; ) {
    before = needs.size;
    for (const [id, dependsOn] of needs) {
      if ([...dependsOn].every((other) => !needs.has(other))) needs.delete(id);
    }
  }
  if (needs.size > 0) {
    const circle = [...needs.keys()].join(', ');
    errors.push(toolError('CALL_CYCLE', `These calls wait for each other: ${circle}.`));
  }
  return errors;
};

/** Starts each call when those it depends on have succeeded, `maxConcurrency` at a time at most. */
const orchestrate = async (
  { calls, maxConcurrency }: Orchestrated,
  deps: ProcessDeps,
): Promise<Outcome> => {
  const errors = planErrors(calls);
  if (errors.length > 0) return { status: 'failure', results: [], errors };
  const graph = calls.map((call) => ({ ...call, dependsOn: call.dependsOn ?? [] }));
  return chain(graph, { maxConcurrency: maxConcurrency ?? Math.max(1, calls.length) }, deps);
};

/** Makes dry runs: the calls pass every gate, and no tool runs. */
const validate = async (calls: readonly ProcessCall[], deps: ProcessDeps): Promise<Outcome> => {
  const results: ToolResult[] = [];
  for (const { tool, input, options } of calls) {
    results.push(await deps.execute(tool, input, { ...deps.caller, ...options, dryRun: true }));
  }
  const data = results.map(({ success, error }) => ({ valid: success, ...(error && { error }) }));
  return { ...summary(calls, results), data };
};

const discover = (query: string | undefined, tools: Catalog): Outcome => {
  const entries = query
    ? tools.search(query).map(({ entry }) => entry)
    : tools.list({ enabled: true });
  const data = entries.map(({ tool, wireName }) => ({
    name: tool.name,
    wireName,
    version: tool.version,
    description: tool.description,
    source: tool.source,
    category: tool.category,
    tier: tool.tier,
  }));
  return { status: 'success', results: [], errors: [], data };
};

const singleOf = ({ operation: _operation, ...call }: SingleCall): ProcessCall => call;

/** Serves a request. Never rejects for an invalid one: the result says what is wrong with it. */
export const processRequest = async (
  request: ProcessRequest,
  deps: ProcessDeps,
): Promise<Outcome> => {
  const callerFault = optionsFault(deps.caller);
  const fault =
    processRequestFault(request) ??
    (callerFault && `${callerFault.path.join('.')} ${callerFault.message}`);
  if (fault !== undefined) {
    const error = toolError('VALIDATION_ERROR', fault, {
      suggestions: [`The operations are ${PROCESS_OPERATIONS.join(', ')}.`],
    });
    return { status: 'failure', results: [], errors: [error] };
  }
  switch (request.operation) {
    case 'execute_single':
      return chain([singleOf(request)], {}, deps);
    case 'execute_chain':
      return chain(request.calls, { continueOnError: request.continueOnError ?? false }, deps);
    case 'orchestrate':
      return orchestrate(request, deps);
    case 'validate':
      return validate(request.calls, deps);
    case 'validate_chain':
      return validateChain(request.calls, deps);
    case 'optimize_chain':
      return optimizeChain(request.calls, deps);
    case 'discover':
      return discover(request.query, deps.tools);
  }
};
