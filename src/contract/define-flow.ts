/** Checks the definitions of flows as code. Does no I/O. */
import { ToolFailure } from './errors.ts';
import type { FlowDefinition } from './flow.ts';
import { sentence } from './sentence.ts';
import { unknownField } from './tool-fields.ts';
import { isToolName } from './tool-name.ts';

const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?$/;

/** Tells whether a flow can have this version. */
export const isFlowVersion = (version: string): boolean => VERSION.test(version);

const FIELDS: Readonly<Record<keyof FlowDefinition, true>> = {
  name: true,
  version: true,
  description: true,
  input: true,
  undoOnFailure: true,
  run: true,
};

/** Says what is wrong with a definition whose name is in order, or nothing. */
const flowProblem = (definition: FlowDefinition): string | undefined => {
  const { version, undoOnFailure, run } = definition;
  if (!(typeof version === 'string' && isFlowVersion(version))) {
    return 'version has to be declared, as in 1.0.0.';
  }
  if (typeof run !== 'function') return 'run has to be a function.';
  if (undoOnFailure !== undefined && typeof undoOnFailure !== 'boolean') {
    return 'undoOnFailure has to be true or false.';
  }
  // A misspelt `undoOnFailure` would leave effects behind in silence.
  const unknown = unknownField(definition, Object.keys(FIELDS));
  return unknown && sentence(unknown);
};

/**
 * Checks a definition and gives it its type. Throws CONFIG_INVALID; does no I/O.
 *
 * @example
 * const welcome = defineFlow({
 *   name: 'welcome',
 *   version: '1.0.0',
 *   run: (flow, { name }: { name: string }) => flow.call(greet, { name }),
 * });
 * crib.flows.register(welcome);
 */
export const defineFlow = <I = unknown, O = unknown>(
  definition: FlowDefinition<I, O>,
): FlowDefinition<I, O> => {
  const { name } = Object(definition) as FlowDefinition<I, O>;
  if (!isToolName(name)) {
    throw new ToolFailure(
      'CONFIG_INVALID',
      'A flow needs a name of 1 to 128 letters, digits, "_", ".", ":" or "-".',
    );
  }
  const problem = flowProblem(definition as unknown as FlowDefinition);
  if (problem) throw new ToolFailure('CONFIG_INVALID', `Flow ${name}: ${problem}`);
  return definition;
};
