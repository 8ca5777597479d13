/** Checks the JSON Schema of the input of a flow. A bad one is a fault of its own flow and of no other. */
import type { FlowData, FlowFault } from '../../../contract/flow-data.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { compileSchema } from '../../../registry/schema/compile-schema.ts';

type Fault = Omit<FlowFault, 'line' | 'column'>;

const TYPE_NAMES: ReadonlySet<unknown> = new Set([
  ...['string', 'number', 'integer', 'boolean', 'array', 'object'],
]);

/** Warns about fields such as `topic: string`, which say nothing in a JSON Schema. */
const shorthandFaults = (input: object): readonly Fault[] =>
  Object.entries(input).flatMap(([name, value]) =>
    name === 'type' || !TYPE_NAMES.has(value)
      ? []
      : [
          {
            path: ['input', name],
            message: `says nothing in a JSON Schema; write properties: { ${name}: { type: ${String(value)} } }`,
            severity: 'warning' as const,
          },
        ],
  );

export const inputSchemaFaults = async ({ input }: FlowData): Promise<readonly Fault[]> => {
  if (input === undefined) return [];
  try {
    await compileSchema(input);
    return shorthandFaults(input);
  } catch (error) {
    return [{ path: ['input'], message: reasonOf(error), severity: 'error' }];
  }
};
