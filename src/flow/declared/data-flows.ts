/** The flows as data that a process knows: reads, checks, plans and registers them. */
import type { CallAs } from '../../contract/call-options.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { StartFlowAs } from '../../contract/flow.ts';
import type {
  FlowData,
  FlowFault,
  FlowGraph,
  FlowOptimization,
  FlowRunNodes,
  FlowSource,
  FlowValidation,
  ParsedFlow,
} from '../../contract/flow-data.ts';
import type { FlowPlan, PlanQuestion } from '../../contract/flow-plan.ts';
import type { FlowRun, JournalStep } from '../../contract/flow-store.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import type { FlowRegistry } from '../flow-registry.ts';
import { plainValue } from '../turn.ts';
import { validateFlow } from './check/validate-flow.ts';
import { type CompileFlowDeps, compileFlow } from './compile-flow.ts';
import { compileProgram } from './flow-program.ts';
import { type FlowFiles, loadFlowFiles } from './load-flow-files.ts';
import { badFlow, inOrder, placeFaults, readFlow } from './parse-flow.ts';
import { graphOfFlow } from './plan/graph-of-flow.ts';
import { type CallOptionsById, optimizeFlow } from './plan/optimize-flow.ts';
import { type PlanCoverageDeps, planCoverage } from './plan/plan-coverage.ts';
import { type PlanFlowDeps, planFlow } from './plan/plan-flow.ts';
import { nodeStates } from './run/node-states.ts';
import type { SubFlow } from './run/step-work.ts';

export interface DataFlowsDeps
  extends Omit<PlanFlowDeps, 'subFlow'>,
    Pick<PlanCoverageDeps, 'planned'>,
    Omit<CompileFlowDeps, 'subFlow' | 'tools'> {
  readonly registry: FlowRegistry;
}

interface PlannedRun {
  readonly digest: string;
  readonly as: StartFlowAs;
}

const hasErrors = (faults: readonly Pick<FlowFault, 'severity'>[]): boolean =>
  faults.some(({ severity }) => severity === 'error');

/** A name, perhaps with a version: no YAML of a flow is one word. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}(?:@(.+))?$/;

export class DataFlows {
  readonly #deps: DataFlowsDeps;
  readonly #byKey = new Map<string, FlowData>();
  /** The version registered last, by name. */
  readonly #newest = new Map<string, FlowData>();
  #faults: readonly FlowFault[] = [];

  constructor(deps: DataFlowsDeps) {
    this.#deps = deps;
  }

  list(): readonly FlowData[] {
    return [...this.#byKey.values()];
  }

  /** Returns the name of a flow that a source names; nothing for a source that is a flow itself. */
  nameIn(source: FlowSource): string | undefined {
    if (typeof source !== 'string' || !NAME.test(source)) return undefined;
    const at = source.lastIndexOf('@');
    return at === -1 ? source : source.slice(0, at);
  }

  get(name: string, version: string): FlowData | undefined {
    return this.#byKey.get(`${name}@${version}`);
  }

  /** Checks a flow and registers it. Rejects with CONFIG_INVALID or CONFLICT. */
  async register(source: FlowSource): Promise<FlowData> {
    const parsed = await this.#read(source);
    const { ok, faults } = await validateFlow(parsed, this.#checks());
    if (!ok || !parsed.flow) throw badFlow(faults);
    return this.add(parsed.flow);
  }

  /** Registers a flow that was checked. The same data again is no conflict. */
  add(flow: FlowData): FlowData {
    const key = `${flow.name}@${flow.version}`;
    const registered = this.#byKey.get(key);
    if (registered && digestOf(registered) === digestOf(flow)) return registered;
    const { registry, machine, tools } = this.#deps;
    const subFlow = (name: string, version: string) => this.#subFlow(name, version);
    registry.register(compileFlow(flow, { machine, tools, subFlow }));
    this.#byKey.set(key, flow);
    this.#newest.set(flow.name, flow);
    return flow;
  }

  /** Reads the flow files of the project. Never rejects because of their content. */
  async load(files: FlowFiles): Promise<readonly FlowFault[]> {
    const { registry } = this.#deps;
    this.#faults = await loadFlowFiles(files, {
      ...this.#checks(),
      missingTools: 'warning',
      add: (flow) => this.add(flow),
      makeNewest: (flow) => {
        registry.register(registry.get(flow.name, flow.version));
        this.#newest.set(flow.name, flow);
      },
    });
    return this.#faults;
  }

  get fileFaults(): readonly FlowFault[] {
    return this.#faults;
  }

  async validate(source: FlowSource): Promise<FlowValidation> {
    return validateFlow(await this.#read(source), this.#checks());
  }

  async plan(source: FlowSource, input: unknown, as?: CallAs): Promise<FlowPlan> {
    const parsed = await this.#read(source);
    const { flow } = parsed;
    if (!flow) throw badFlow(parsed.faults);
    const planOf = async (given: unknown): Promise<FlowPlan> => {
      const plan = await planFlow(flow, { ...this.#deps, ...this.#checks() }, { input: given, as });
      return { ...plan, faults: placeFaults(plan.faults, parsed).toSorted(inOrder) };
    };
    let given: unknown;
    try {
      given = await this.#givenTo(flow, input);
    } catch (error) {
      const plan = await planOf(input);
      // Faults of the flow come first: they may be those of its schema.
      if (hasErrors(plan.faults)) return plan;
      throw error;
    }
    return planOf(given);
  }

  /** Checks input as a run of the flow takes it; none is an empty one. Rejects with VALIDATION_ERROR. */
  async #givenTo(flow: FlowData, input: unknown): Promise<unknown> {
    const { registry } = this.#deps;
    const { name, version, input: schema } = flow;
    if (!schema) return input;
    const isKnown = this.get(name, version) === flow;
    const definition = isKnown ? registry.find(name, version) : undefined;
    const unregistered = { name, version, input: schema, run: async () => undefined };
    return plainValue(await registry.parseInput(definition ?? unregistered, input));
  }

  /** Plans what has no fault of its own; nothing where the flow cannot be read. */
  async planPartly(source: FlowSource, input: unknown, as?: CallAs): Promise<FlowPlan | undefined> {
    const { flow } = await this.#read(source);
    const deps = { ...this.#deps, ...this.#checks() };
    return flow && planFlow(flow, deps, { input, as, isPartial: true });
  }

  /** Returns what a person is asked who is to approve a whole run. Rejects with NOT_FOUND. */
  async question(name: string, input: unknown, { version, ...as }: CallAs): Promise<PlanQuestion> {
    const { registry } = this.#deps;
    // By name alone: the text of a flow is not what a run of that name would do.
    const flow =
      version === undefined ? this.#newest.get(name) : this.#byKey.get(`${name}@${version}`);
    if (!flow) throw this.#unknown(name);
    const parsed = plainValue(
      await registry.parseInput(registry.get(flow.name, flow.version), input),
    );
    const deps = { ...this.#deps, ...this.#checks() };
    const plan = await planFlow(flow, deps, { input: parsed, as });
    if (hasErrors(plan.faults)) throw badFlow(plan.faults);
    const coverage = await planCoverage(compileProgram(flow), deps, { input: parsed, as });
    const { digest, cost } = plan;
    return {
      flow: flow.name,
      version: flow.version,
      digest,
      input: parsed ?? null,
      maxUsd: cost.maxUsd,
      ...coverage,
    };
  }

  /** Returns the version that was planned. Rejects with CONFLICT unless its run would still do that. */
  async plannedVersion(
    source: FlowSource,
    input: unknown,
    { digest, as: { runId: _runId, version: _version, ...as } }: PlannedRun,
  ): Promise<string> {
    const plan = await this.plan(source, input, as);
    if (plan.digest === digest) return plan.version;
    const message = 'The flow, its input or its tools are not those of the plan any more.';
    throw new ToolFailure('CONFLICT', message, {
      suggestions: ['Plan the run again and look at what has changed.'],
    });
  }

  async optimize(source: FlowSource, options?: CallOptionsById): Promise<FlowOptimization> {
    const parsed = await this.#read(source);
    const { ok, faults } = await validateFlow(parsed, this.#checks());
    if (!ok || !parsed.flow) throw badFlow(faults);
    return optimizeFlow(parsed.flow, this.#deps.tools, options);
  }

  async graph(source: FlowSource): Promise<FlowGraph> {
    return graphOfFlow(await this.#good(source), this.#deps.tools);
  }

  nodes(run: FlowRun, steps: readonly JournalStep[]): FlowRunNodes | undefined {
    const flow = this.get(run.flow, run.version);
    return flow && nodeStates(flow, run, steps);
  }

  #checks() {
    const { tools } = this.#deps;
    return { tools, subFlow: (name: string, version: string) => this.#subFlow(name, version) };
  }

  #subFlow(name: string, version: string): SubFlow | undefined {
    const definition = this.#deps.registry.find(name, version);
    return definition && { definition, data: this.get(name, version) };
  }

  async #good(source: FlowSource): Promise<FlowData> {
    const { flow, faults } = await this.#read(source);
    if (!flow) throw badFlow(faults);
    return flow;
  }

  async #read(source: FlowSource): Promise<ParsedFlow> {
    if (typeof source !== 'string' || !NAME.test(source)) return readFlow(source);
    const at = source.lastIndexOf('@');
    const flow =
      at === -1 ? this.#newest.get(source) : this.get(source.slice(0, at), source.slice(at + 1));
    if (flow) return { flow, faults: [], positionOf: () => undefined };
    throw this.#unknown(source);
  }

  #unknown(source: string): ToolFailure {
    const [name = source] = source.split('@');
    if (this.#deps.registry.newest().some((flow) => flow.name === name)) {
      return new ToolFailure('NOT_FOUND', `The flow ${name} is code, not data.`, {
        suggestions: [
          'What code does shows only when it runs: only flows as data can be planned, drawn, checked and optimized.',
        ],
      });
    }
    const meant = didYouMean(source, this.#newest.keys());
    return new ToolFailure('NOT_FOUND', `There is no flow ${source} as data${meant || '.'}`, {
      suggestions: [
        `Put it into .toolcrib/flows/${source}.yml, register it with crib.flows.registerData, or give the flow itself.`,
      ],
    });
  }
}
