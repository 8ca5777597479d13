/** Makes the calls of a chain, each with what earlier ones gave. */
import type { CallAs } from '../../contract/call-options.ts';
import type {
  ChainCall,
  ChainCallResult,
  ChainOptions,
  ChainResources,
  ChainResult,
} from '../../contract/chain.ts';
import type { ToolResult } from '../../contract/result.ts';
import { callerOf } from '../../pipeline/new-call.ts';
import { thrownError } from '../../pipeline/record/thrown-error.ts';
import { Limiter } from '../declared/run/limiter.ts';
import { noSteps, type ScopeCaller, type StepOutput, scopeCaller } from '../values/scope.ts';
import { type ChainNode, chainGraph } from './chain-graph.ts';

export interface RunChainDeps {
  /** Milliseconds that only grow. */
  elapsed(): number;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
}

const MAX_CONCURRENCY = 16;

interface Times {
  readonly startedMs: number;
  readonly finishedMs: number;
}

class ChainRun {
  readonly results = new Map<ChainNode, ChainCallResult>();
  readonly times = new Map<ChainNode, Times>();
  readonly #steps: Record<string, StepOutput> = noSteps();
  readonly #caller: ScopeCaller;
  readonly #as: CallAs;
  readonly #options: ChainOptions;
  readonly #deps: RunChainDeps;
  readonly #limiter: Limiter;
  readonly #ends = new Map<ChainNode, Promise<void>>();
  readonly #startedAt: number;
  #failed: string | undefined;

  constructor(as: CallAs, options: ChainOptions, deps: RunChainDeps) {
    this.#as = as;
    this.#options = options;
    this.#deps = deps;
    this.#caller = scopeCaller(callerOf(as));
    this.#limiter = new Limiter(options.maxConcurrency ?? MAX_CONCURRENCY);
    this.#startedAt = deps.elapsed();
  }

  /** Runs the nodes, which come in an order in which each may wait for any other: there are no loops. */
  async run(nodes: readonly ChainNode[], isGraph: boolean): Promise<void> {
    const end = (node: ChainNode): Promise<void> => {
      const begun = this.#ends.get(node);
      if (begun) return begun;
      const made = Promise.all(node.before.map(end)).then(() => this.#node(node, isGraph));
      this.#ends.set(node, made);
      return made;
    };
    await Promise.all(nodes.map(end));
  }

  async #node(node: ChainNode, isGraph: boolean): Promise<void> {
    const { id, call, before } = node;
    const because = isGraph ? this.#unmet(before) : this.#stopped();
    const outcome =
      because === undefined
        ? await this.#limiter.run(() => this.#call(node))
        : ({ id, tool: call.tool, status: 'skipped', because } as const);
    this.results.set(node, outcome);
    if (outcome.status !== 'success') this.#failed ??= id;
    this.#steps[id] = outputOf(outcome);
  }

  #stopped(): string | undefined {
    if (this.#failed === undefined || this.#options.continueOnError) return undefined;
    return `${this.#failed} failed`;
  }

  #unmet(before: readonly ChainNode[]): string | undefined {
    const bad = before.find((each) => this.results.get(each)?.status !== 'success');
    if (!bad) return undefined;
    return `${bad.id} ${this.results.get(bad)?.status === 'skipped' ? 'was skipped' : 'failed'}`;
  }

  async #call(node: ChainNode): Promise<ChainCallResult> {
    const { id, call, input: compiled } = node;
    const { tool, options = {} } = call;
    const startedMs = this.#deps.elapsed() - this.#startedAt;
    let input: unknown = call.input;
    try {
      const scope = { input: null, steps: this.#steps, caller: this.#caller };
      if (compiled) input = compiled.evaluate(scope);
    } catch (thrown) {
      const error = thrownError(thrown);
      return { id, tool, status: 'skipped', because: error.message, error };
    }
    const result = await this.#deps.execute(tool, input, { ...this.#as, ...options });
    const finishedMs = this.#deps.elapsed() - this.#startedAt;
    this.times.set(node, { startedMs, finishedMs });
    const { error } = result;
    return { id, tool, status: result.status, result, ...(error && { error }) };
  }
}

const outputOf = ({ status, result, error }: ChainCallResult): StepOutput => ({
  status,
  success: status === 'success',
  ...(result?.success && { data: result.data }),
  ...(error && { error }),
});

const statusOf = (results: readonly ChainCallResult[]): ChainResult['overallStatus'] => {
  const good = results.filter(({ status }) => status === 'success').length;
  return good === results.length ? 'success' : good > 0 ? 'partial' : 'failure';
};

const resourcesOf = (made: readonly ToolResult[]): ChainResources => {
  let [costUsd, tokens, cpuMs, peakMemoryBytes] = [0, 0, 0, 0];
  for (const { metadata } of made) {
    costUsd += metadata.cost;
    tokens += metadata.tokensUsed;
    cpuMs += metadata.cpuMs ?? 0;
    peakMemoryBytes = Math.max(peakMemoryBytes, metadata.peakMemoryBytes ?? 0);
  }
  return { costUsd, tokens, cpuMs, peakMemoryBytes };
};

/** Makes the calls. Rejects with VALIDATION_ERROR before anything runs when the chain cannot be made. */
export const runChain = async (
  calls: readonly ChainCall[],
  {
    options = {},
    as = {},
  }: { readonly options?: ChainOptions | undefined; readonly as?: CallAs | undefined },
  deps: RunChainDeps,
): Promise<ChainResult> => {
  const { nodes, isGraph } = chainGraph(calls);
  const chainId = as.flowId ?? deps.nextId();
  const startedAt = deps.elapsed();
  const run = new ChainRun({ ...as, flowId: chainId }, options, deps);
  await run.run(nodes, isGraph);
  const results = nodes.flatMap((node) => run.results.get(node) ?? []);
  return {
    chainId,
    overallStatus: statusOf(results),
    results,
    flow: nodes.map((node) => ({
      id: node.id,
      after: node.before.map(({ id }) => id),
      ...run.times.get(node),
    })),
    totalDurationMs: deps.elapsed() - startedAt,
    totalResourcesUsed: resourcesOf(results.flatMap(({ result }) => result ?? [])),
  };
};
