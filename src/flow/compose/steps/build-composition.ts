/** Builds the tool of a composition that is data. */
import { defineTool } from '../../../contract/define-tool.ts';
import { type ErrorCode, type Issue, ToolFailure } from '../../../contract/errors.ts';
import type { Tool } from '../../../contract/tool.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import type { ValueCompiler } from '../../values/compile-value.ts';
import { combinedEstimate, sumOfCosts } from '../combined-cost.ts';
import { combinedFacts, compositionOf, longestTimeout } from '../combined-facts.ts';
import { MAX_CALLS } from '../compose-options.ts';
import { aggregate, type CustomAggregator, type MergeConflict } from './aggregate.ts';
import {
  type CompiledStep,
  type CompiledTarget,
  compileSteps,
  type FindTool,
  type StepGroup,
  type StepTools,
} from './compile-steps.ts';
import type { CompositionDefinition, ParsedComposition } from './composition-shape.ts';
import { runSteps, type StepResult } from './run-steps.ts';
import { readShape } from './shape-faults.ts';

/** What a composed tool returns: its value, and the result of every step. */
export interface CompositionResult<O = unknown> {
  readonly output: O;
  readonly steps: readonly StepResult[];
  /** With `merge`: the fields that several steps gave. */
  readonly conflicts?: readonly MergeConflict[];
}

export interface BuildOptions extends StepTools {
  /** Only from code: it makes the output. */
  readonly custom?: CustomAggregator | undefined;
  readonly values?: ValueCompiler;
  /** Is told of what is probably a mistake, though it can be run. */
  warn?(issue: Issue): void;
}

const OUTPUT = {
  type: 'object',
  properties: {
    output: {},
    steps: { type: 'array', items: { type: 'object' } },
    conflicts: { type: 'array', items: { type: 'object' } },
  },
  required: ['steps'],
} as const;

const startsWith = (path: Issue['path'], start: Issue['path']): boolean =>
  start.every((part, at) => path[at] === part);

const refused = (code: ErrorCode, issues: readonly Issue[]): ToolFailure => {
  const [first] = issues;
  const place = code === 'DEPENDENCY_MISSING' ? '' : `${first?.path.join('.')}: `;
  return new ToolFailure(code, `${place}${first?.message}.`, { issues });
};

/** Reads and compiles a definition. Throws with every fault, of its shape, its steps and its dependencies. */
const compile = (source: unknown, { values, warn, ...tools }: BuildOptions) => {
  const { definition, issues, mended } = readShape(source);
  if (!definition) throw refused('VALIDATION_ERROR', issues);
  const steps = compileSteps(definition, tools, values);
  for (const warning of steps.warnings) warn?.(warning);
  const ofSteps = steps.issues.filter(({ path }) => !mended.some((part) => startsWith(path, part)));
  const faults = [...issues, ...ofSteps];
  const missing = dependencyIssues(definition, tools.find);
  if (faults.length > 0) throw refused('VALIDATION_ERROR', [...faults, ...missing]);
  if (missing.length > 0) throw refused('DEPENDENCY_MISSING', missing);
  return { definition, ...steps };
};

const targetsOf = (step: CompiledStep): readonly CompiledTarget[] =>
  step.fallback ? [step, step.fallback] : [step];

const triesOf = ({ errorHandling }: CompiledStep): number =>
  errorHandling.strategy === 'retry' ? 1 + errorHandling.maxRetries : 1;

const callsOf = (step: CompiledStep): number =>
  targetsOf(step).reduce(
    (sum, { tool }) => sum + triesOf(step) * (1 + (tool.composition?.maxCalls ?? 0)),
    0,
  );

/** Counts each try, the wait before each further one, which may be as long as a try, and the fallback. */
const timeOf = (step: CompiledStep): number => {
  const [time = 0, fallbackTime = 0] = targetsOf(step).map(
    ({ tool }) => step.timeoutMs ?? longestTimeout([tool]),
  );
  return time * (2 * triesOf(step) - 1) + fallbackTime;
};

const timeOfGroup = (group: StepGroup, size: number): number =>
  Math.max(...group.map(timeOf)) * Math.ceil(group.length / size);

const maxCallsOf = (steps: readonly CompiledStep[]): number => {
  const calls = steps.reduce((sum, step) => sum + callsOf(step), 0);
  if (calls <= MAX_CALLS) return calls;
  const message = `would make up to ${calls} calls; ${MAX_CALLS} is the most`;
  throw new ToolFailure('VALIDATION_ERROR', `The steps: ${message}.`, {
    issues: [{ path: ['composition', 'steps'], message }],
  });
};

/** Lists the exact version of each part, unless its step names a range, and what the author names besides. */
const dependenciesOf = (targets: readonly CompiledTarget[], definition: ParsedComposition) => {
  const ofParts = targets.map(({ tool, range }) => ({ tool: tool.name, range }));
  // One without a range adds nothing to a part, and takes nothing from it.
  const others = definition.dependencies.filter(
    ({ tool, range }) => range !== undefined || ofParts.every((part) => part.tool !== tool),
  );
  const byRange = [...ofParts, ...others].map(
    (each) => [`${each.tool}@${each.range}`, each] as const,
  );
  return [...new Map(byRange).values()];
};

const dependencyIssues = ({ dependencies }: ParsedComposition, find: FindTool): readonly Issue[] =>
  dependencies.flatMap(({ tool }, at) =>
    find(tool) ? [] : [{ path: ['dependencies', at, 'tool'], message: `there is no tool ${tool}` }],
  );

const textsOf = (definition: ParsedComposition) => {
  const { title, documentation, author, license, examples, enabled } = definition;
  return {
    examples,
    ...(title !== undefined && { title }),
    ...(documentation !== undefined && { documentation }),
    ...(author !== undefined && { author }),
    ...(license !== undefined && { license }),
    ...(!enabled && { enabled }),
  };
};

/** Runs the steps, then makes the output; a failure there tells what the steps did. */
const runner = (
  definition: ParsedComposition,
  groups: readonly StepGroup[],
  aggregation: Parameters<typeof aggregate>[2],
): Tool<unknown, CompositionResult>['run'] => {
  const plan = { groups, size: definition.composition.maxConcurrency };
  return async (input, context) => {
    const { results, scope } = await runSteps(plan, input, context);
    try {
      const { output, conflicts } = await aggregate(results, scope, aggregation);
      return { output, steps: results, ...(conflicts && { conflicts }) };
    } catch (thrown) {
      const message = `The aggregation failed: ${reasonOf(thrown)}`;
      throw new ToolFailure('EXECUTION_FAILED', message, { partial: { steps: results } });
    }
  };
};

/**
 * Builds a tool from a definition. Throws VALIDATION_ERROR with the path of every fault, and
 * DEPENDENCY_MISSING where a tool is not there that the definition names as a dependency.
 */
export const buildComposition = (
  source: CompositionDefinition,
  options: BuildOptions,
): Tool<Record<string, unknown>, CompositionResult> => {
  const { definition, groups, aggregator } = compile(source, options);
  const { custom } = options;
  const steps = groups.flat();
  const targets = steps.flatMap(targetsOf);
  const parts = targets.map(({ tool }) => tool);
  // Each try holds its own money.
  const tries = steps.flatMap((step) =>
    targetsOf(step).flatMap(({ tool }) => Array.from({ length: triesOf(step) }, () => ({ tool }))),
  );
  const { name, version, description, tags, schema, composition } = definition;
  const facts = combinedFacts(parts, `Run the steps ${steps.map(({ id }) => id).join(', ')}.`);
  const timeouts = groups.map((group) => timeOfGroup(group, composition.maxConcurrency));
  const { strategy } = definition.aggregation;
  return defineTool<Record<string, unknown>, CompositionResult>({
    name,
    version,
    description,
    tags,
    ...textsOf(definition),
    ...facts,
    dependencies: dependenciesOf(targets, definition),
    composition: { ...compositionOf('steps', parts, maxCallsOf(steps)), steps: composition.steps },
    timeoutMs: definition.timeoutMs ?? timeouts.reduce((sum, time) => sum + time, 0),
    input: schema,
    output: OUTPUT,
    ...combinedEstimate(parts, () => sumOfCosts(tries)),
    run: runner(definition, groups, { strategy, expression: aggregator, custom }),
  });
};
