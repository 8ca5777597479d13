/** The input of a flow as that of a tool, which has to be an object. */
import type { Tool } from '@modelcontextprotocol/server';
import { ToolFailure } from '../../../contract/errors.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';

export interface FlowInput {
  readonly schema: Tool['inputSchema'];
  /** Returns what the flow is started with. Throws VALIDATION_ERROR for what is too long. */
  read(args: unknown): unknown;
}

/** A run keeps its input for as long as it is kept itself. */
const MAX_INPUT_CHARS = 1_000_000;

/** The only field of a tool whose flow takes something else than an object. */
const FIELD = 'input';

const ROOT_KEYWORDS = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', '$ref'] as const;

/**
 * Tells whether a schema is a plain object. Some clients drop a tool whose input has a combination
 * or a reference at its root.
 */
const isPlainObject = (schema: JsonSchema): boolean =>
  schema.type === 'object' && !ROOT_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));

/** Puts a schema under a field; definitions stay at the root, where references look for them. */
const wrapped = (schema: JsonSchema): JsonSchema => {
  const { $schema, $defs, definitions, ...own } = schema;
  return {
    ...($schema !== undefined && { $schema }),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
    type: 'object',
    properties: { [FIELD]: own },
    required: [FIELD],
    additionalProperties: false,
  };
};

const bounded = (input: unknown): unknown => {
  if ((JSON.stringify(input) ?? '').length <= MAX_INPUT_CHARS) return input;
  throw new ToolFailure('VALIDATION_ERROR', 'The input of the flow is too long.', {
    issues: [{ path: [], message: `It may have ${MAX_INPUT_CHARS} characters as JSON.` }],
  });
};

const fieldOf = (args: unknown): unknown => {
  if (isRecord(args) && Object.hasOwn(args, FIELD) && Object.keys(args).length === 1) {
    return args[FIELD];
  }
  throw new ToolFailure('VALIDATION_ERROR', 'The input does not fit the flow.', {
    issues: [{ path: [FIELD], message: 'Give this field and no other.' }],
  });
};

/** Makes the input of a tool; a flow without a schema takes any object. */
export const flowInput = (schema: JsonSchema = { type: 'object' }): FlowInput =>
  isPlainObject(schema)
    ? { schema: schema as Tool['inputSchema'], read: bounded }
    : { schema: wrapped(schema) as Tool['inputSchema'], read: (args) => bounded(fieldOf(args)) };
