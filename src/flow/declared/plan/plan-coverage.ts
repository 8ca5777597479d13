/**
 * Lists the calls that one approval of a plan covers. What a call is made with has to be known, or the
 * tool has to be one that destroys nothing and reaches nobody; and how often it is made, always.
 */
import type { CallAs } from '../../../contract/call-options.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { PlannedCall, PlanQuestion } from '../../../contract/flow-plan.ts';
import type { Verdict } from '../../../contract/policy.ts';
import type { Tool } from '../../../contract/tool.ts';
import { callerOf } from '../../../pipeline/new-call.ts';
import { onlyReads } from '../../../registry/only-reads.ts';
import type { CompiledValue } from '../../values/compile-value.ts';
import { noSteps, type ScopeName, scopeCaller, type ValueScope } from '../../values/scope.ts';
import type { FlowTools } from '../check/tool-shapes.ts';
import { callsOf, type PlacedCall } from '../check/validate-flow.ts';
import type { FlowProgram } from '../flow-program.ts';
import { lastResortOf, type StepNode } from '../step-tree.ts';
import { callValue, MAX_PLAN_WORK, repeaterOf, spendOf, TOO_MUCH } from './known-inputs.ts';
import { refusalText } from './refusal-text.ts';

export interface PlanCoverageDeps {
  readonly tools: FlowTools;
  /** Judges a call, and says what an approval of it is bound to. */
  planned(
    tool: string,
    input: unknown,
    as: CallAs,
  ): Promise<Omit<PlannedCall, 'place' | 'tool' | 'version'> & { readonly verdict: Verdict }>;
  definition(tool: string, version: string | undefined): Promise<string | undefined>;
}

/** More calls than a person can look at are not approved together. */
const MAX_PLANNED_CALLS = 500;

/** Steps that run more often are not looked at item by item. */
const MAX_TURNS = 10_000;

type Coverage = Pick<PlanQuestion, 'calls' | 'asks'>;

/** One time that a step runs: its place in the plan, and the item at hand. */
interface Turn {
  readonly suffix: string;
  readonly scope: ValueScope;
}

const FIXED: ReadonlySet<ScopeName> = new Set<ScopeName>(['input', 'caller', 'item']);

const isFixed = ({ references }: CompiledValue): boolean =>
  references.every(({ root }) => FIXED.has(root));

const tooMany = (): ToolFailure =>
  new ToolFailure(
    'VALIDATION_ERROR',
    `The plan has more than ${MAX_PLANNED_CALLS} calls to approve: nobody can look at them all.`,
    { suggestions: ['Run the flow with fewer items, or answer its questions as they come.'] },
  );

class Coverer {
  readonly calls: PlannedCall[] = [];
  readonly asks: { step: string; reason: string }[] = [];
  readonly #program: FlowProgram;
  readonly #deps: PlanCoverageDeps;
  readonly #as: CallAs;
  readonly #scope: ValueScope;
  readonly #left = { work: MAX_PLAN_WORK };

  constructor(
    program: FlowProgram,
    deps: PlanCoverageDeps,
    { input, as }: { readonly input: unknown; readonly as: CallAs },
  ) {
    this.#program = program;
    this.#deps = deps;
    this.#as = as;
    this.#scope = { input, steps: noSteps(), caller: scopeCaller(callerOf(as)) };
  }

  async run(): Promise<void> {
    for (const node of this.#program.tree.nodes) {
      const { step, type } = node;
      if (step.approve !== undefined) this.#ask(step.id, step.approve);
      if (lastResortOf(step) === 'manual') {
        this.#ask(step.id, 'a person decides when it has failed');
      }
      if (type === 'flow') this.#ask(step.id, 'the calls of another flow ask for themselves');
      for (const call of callsOf(node)) await this.#call(call);
    }
  }

  #ask(step: string, reason: string): void {
    this.asks.push({ step, reason });
  }

  /** Lists the times that a step runs; `undefined` where a list of items is not known yet. */
  #turnsOf(node: StepNode | undefined): readonly Turn[] | undefined {
    if (!node) return [{ suffix: '', scope: this.#scope }];
    const outer = this.#turnsOf(node.group.owner);
    if (!outer || !node.step.forEach) return outer;
    const items = this.#program.steps.get(node)?.items;
    if (!items || !isFixed(items)) return undefined;
    const turns: Turn[] = [];
    for (const { suffix, scope } of outer) {
      if (this.#left.work <= 0) return undefined;
      const list = this.#evaluated(items, scope)?.value;
      if (!Array.isArray(list)) return undefined;
      if (turns.length + list.length > MAX_TURNS) return undefined;
      for (const [at, item] of list.entries()) {
        turns.push({ suffix: `${suffix}.i${at}`, scope: { ...scope, item } });
      }
    }
    return turns;
  }

  async #call(placed: PlacedCall): Promise<void> {
    const { node, call, version } = placed;
    const tool = this.#deps.tools.get(call, version)?.tool;
    if (!tool) return;
    const part = partOf(placed);
    const id = `${node.step.id}${part}`;
    const turns = this.#turnsOf(repeaterOf(placed));
    if (!turns) {
      this.#ask(id, 'how often it runs is not known before');
      return;
    }
    const value = this.#valueOf(placed);
    let openReason: string | undefined;
    for (const { suffix, scope } of turns) {
      const place = `${node.step.id}${suffix}${part}`;
      if (this.#left.work <= 0) {
        openReason ??= TOO_MUCH;
        break;
      }
      const given = value && this.#evaluated(value, scope);
      openReason ??= given
        ? await this.#exact({ place, tool, version }, given.value)
        : await this.#open({ place, tool, version });
    }
    if (openReason !== undefined) this.#ask(id, openReason);
  }

  #evaluated(value: CompiledValue, scope: ValueScope): { readonly value: unknown } | undefined {
    try {
      return { value: value.evaluate(scope, spendOf(this.#left)) };
    } catch {
      return undefined;
    }
  }

  /** The value that the call is made with; `undefined` where it depends on earlier results. */
  #valueOf(placed: PlacedCall): CompiledValue | undefined {
    const value = callValue(placed, this.#program);
    return value && isFixed(value) ? value : undefined;
  }

  /** Adds a call whose input is known, if it would ask. Returns why it asks all the same. */
  async #exact({ place, tool, version }: PlacedTool, input: unknown): Promise<string | undefined> {
    const judged = await this.#judged(tool.name, input, version);
    if (typeof judged === 'string') return judged;
    const { verdict, ...bound } = judged;
    if (verdict.effect !== 'ask') return undefined;
    if (verdict.everyTime) return verdict.reason;
    this.#add({ place, tool: tool.name, version: tool.version, ...bound });
    return undefined;
  }

  async #judged(tool: string, input: unknown, version: string | undefined) {
    try {
      const as = { ...this.#as, ...(version !== undefined && { version }) };
      return await this.#deps.planned(tool, input, as);
    } catch (thrown) {
      return refusalText(thrown);
    }
  }

  /** Adds a call whose input is not known, where its tool is bounded. Reading ones seldom ask. */
  async #open({ place, tool, version }: PlacedTool): Promise<string | undefined> {
    if (onlyReads(tool)) return undefined;
    const isBounded = [tool, ...tool.capabilities].every(
      ({ tier = 'read_only' }) => tier === 'read_only' || tier === 'write',
    );
    const definition = await this.#deps.definition(tool.name, version);
    if (!isBounded || definition === undefined) {
      return 'its input depends on earlier results, and it runs a program or calls a service';
    }
    this.#add({ place, tool: tool.name, version: tool.version, definition });
    return undefined;
  }

  #add(call: PlannedCall): void {
    if (this.calls.length >= MAX_PLANNED_CALLS) throw tooMany();
    this.calls.push(call);
  }
}

interface PlacedTool {
  readonly place: string;
  readonly tool: Tool;
  readonly version: string | undefined;
}

/** Tells the calls of one step apart: its own, its alternative and its fallback. */
const partOf = ({ node, path }: Pick<PlacedCall, 'node' | 'path'>): '' | '.else' | '.fallback' => {
  if (path === node.path) return '';
  return path.at(-1) === 'else' ? '.else' : '.fallback';
};

/** Says which calls of a run an approval of its plan covers, and what asks all the same. */
export const planCoverage = async (
  program: FlowProgram,
  deps: PlanCoverageDeps,
  facts: { readonly input: unknown; readonly as: CallAs },
): Promise<Coverage> => {
  const coverer = new Coverer(program, deps, facts);
  await coverer.run();
  return { calls: coverer.calls, asks: coverer.asks };
};
