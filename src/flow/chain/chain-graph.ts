/** The calls of a chain with their predecessors and compiled inputs. Refuses a chain that cannot be made. */
import type { ChainCall } from '../../contract/chain.ts';
import { type Issue, ToolFailure } from '../../contract/errors.ts';
import { type CompiledValue, valueCompiler } from '../values/compile-value.ts';

const MAX_CALLS = 1_000;
/** Characters of CEL in all calls together: callers write chains, and each expression is compiled first. */
const MAX_CEL = 20_000;
/** Values in the inputs that are worked out. */
const MAX_VALUES = 100_000;

export interface ChainNode {
  readonly id: string;
  readonly call: ChainCall;
  readonly before: readonly ChainNode[];
  readonly input: CompiledValue | undefined;
}

export interface ChainGraph {
  readonly nodes: readonly ChainNode[];
  /** Calls wait only for those that they name. */
  readonly isGraph: boolean;
}

interface OpenNode extends ChainNode {
  readonly before: ChainNode[];
}

export const chainIds = (calls: readonly ChainCall[]): readonly string[] =>
  calls.map(({ id }, at) => id ?? `call${at + 1}`);

class GraphBuilder {
  readonly issues: Issue[] = [];
  readonly #nodes = new Map<string, OpenNode>();

  add(calls: readonly ChainCall[], isGraph: boolean): readonly OpenNode[] {
    const compiler = valueCompiler();
    const nodes = calls.map((call, at): OpenNode => {
      const id = chainIds(calls)[at] ?? '';
      const node = { id, call, before: [], input: this.#compile(call, at, compiler) };
      if (this.#nodes.has(id)) this.#fault([at, 'id'], `Two calls have the id ${id}.`);
      this.#nodes.set(id, node);
      return node;
    });
    for (const [at, node] of nodes.entries()) {
      const previous = nodes[at - 1];
      if (isGraph) this.#connect(node, at);
      else if (previous) node.before.push(previous);
    }
    return nodes;
  }

  #fault(path: Issue['path'], message: string): void {
    this.issues.push({ path: ['calls', ...path], message });
  }

  #compile(
    { input, inputFrom }: ChainCall,
    at: number,
    compiler: ReturnType<typeof valueCompiler>,
  ): CompiledValue | undefined {
    if (inputFrom === undefined) return undefined;
    if (input !== undefined) this.#fault([at], 'A call has input or inputFrom, not both.');
    try {
      return compiler.value(inputFrom);
    } catch (thrown) {
      const { message, extras } = thrown as ToolFailure;
      for (const issue of extras?.issues ?? [{ path: [], message }]) {
        this.#fault([at, 'inputFrom', ...issue.path], issue.message);
      }
      return undefined;
    }
  }

  #connect({ id, call, before }: OpenNode, at: number): void {
    for (const name of new Set(call.dependsOn)) {
      const other = this.#nodes.get(name);
      if (other) before.push(other);
      else this.#fault([at, 'dependsOn'], `${id} depends on ${name}, which is not there.`);
    }
  }

  /** Checks that what an input uses is over before its call is made. */
  checkUses(nodes: readonly OpenNode[]): void {
    for (const [at, { id, input, before }] of nodes.entries()) {
      const earlier = new Set<string>();
      const stack: ChainNode[] = [...before];
      for (let node = stack.pop(); node; node = stack.pop()) {
        if (earlier.has(node.id)) continue;
        earlier.add(node.id);
        stack.push(...node.before);
      }
      if (earlier.has(id)) this.#fault([at, 'dependsOn'], `${id} waits for itself.`);
      for (const { root, step = '', path } of input?.references ?? []) {
        if (root === 'item')
          this.#fault([at, 'inputFrom', ...path], 'There is no item in a chain.');
        if (root !== 'steps' || earlier.has(step)) continue;
        this.#fault([at, 'inputFrom', ...path], `${step} is not over before ${id} is made.`);
      }
    }
  }
}

/** Adds up the texts of CEL in an input, each level of it once. */
const celLength = (inputs: readonly unknown[]): number => {
  const stack: unknown[] = [...inputs];
  let length = 0;
  for (let seen = 0; stack.length > 0 && seen < MAX_VALUES; seen += 1) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, each] of Object.entries(value)) {
      if (key === 'cel' && typeof each === 'string') length += each.length;
      else stack.push(each);
    }
  }
  return stack.length > 0 ? Number.POSITIVE_INFINITY : length;
};

/** Throws VALIDATION_ERROR for a chain that would take long to read. */
export const assertChainSize = (calls: readonly ChainCall[]): void => {
  if (calls.length > MAX_CALLS) {
    throw new ToolFailure('VALIDATION_ERROR', `A chain has at most ${MAX_CALLS} calls.`);
  }
  if (celLength(calls.map(({ inputFrom }) => inputFrom)) <= MAX_CEL) return;
  const message = `The calls of a chain have at most ${MAX_CEL} characters of CEL, and ${MAX_VALUES} values.`;
  throw new ToolFailure('VALIDATION_ERROR', message, {
    suggestions: ['Make several chains, or take values with { from: path }, which costs nothing.'],
  });
};

/** Throws VALIDATION_ERROR with all that is wrong. */
export const chainGraph = (calls: readonly ChainCall[]): ChainGraph => {
  assertChainSize(calls);
  const builder = new GraphBuilder();
  const isGraph = calls.some(({ dependsOn }) => dependsOn !== undefined);
  const nodes = builder.add(calls, isGraph);
  builder.checkUses(nodes);
  const [first] = builder.issues;
  if (!first) return { nodes, isGraph };
  throw new ToolFailure('VALIDATION_ERROR', first.message, { issues: builder.issues });
};
