/** Makes the tool of one query or mutation. Schemas and documents are made when they are needed. */
import { defineTool } from '../../../contract/define-tool.ts';
import { RetryPolicies } from '../../../contract/retry.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import type { ExternalSettings } from '../../../contract/source-driver.ts';
import type { Tool } from '../../../contract/tool.ts';
import { lazy } from '../../../kit/data/lazy.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { sourceToolFields } from '../../../kit/source/source-tool.ts';
import { ownSettings } from '../graphql-settings.ts';
import type { GraphqlLibrary } from '../schema/compact-schema.ts';
import {
  type ArgumentEntry,
  fieldsOf,
  isComposite,
  namedType,
  nullable,
  type Types,
} from '../schema/definition.ts';
import { inputSchema } from '../schema/input-schema.ts';
import { chosenDocument } from '../select/chosen-fields.ts';
import { outputSchema } from '../select/output-schema.ts';
import { type SelectionLimits, selectFields } from '../select/select-fields.ts';
import { selectionText } from '../select/selection.ts';
import type { NamedOperation, Operation } from './operation-names.ts';
import { type OperationResult, runOperation } from './run-operation.ts';

export interface OperationDeps {
  readonly types: Types;
  readonly settings: ExternalSettings;
  readonly limits: SelectionLimits;
  /** Loads the reference library, and the schema in its form, with the first use. */
  checker(): Promise<{
    readonly library: GraphqlLibrary;
    readonly schema: ReturnType<GraphqlLibrary['buildClientSchema']>;
  }>;
}

type Input = Readonly<Record<string, unknown>>;

const MAX_FIELDS_TEXT = 4000;
const MAX_LINKS = 20;

/** Lists the arguments that a call can give. */
const usableArguments = ({ field }: Operation): readonly ArgumentEntry[] =>
  (field.args ?? []).filter(({ name }) => !isPrototypeKey(name));

/**
 * Writes the document of an operation; values of a call travel as variables only. `selection` is
 * written with its braces; empty for a field whose value has no fields.
 */
const operationDocument = (operation: Operation, selection: string): string => {
  const { kind, field } = operation;
  const args = usableArguments(operation);
  // A variable that is absent leaves the argument to its default.
  const variables = args.map(
    ({ name, type, default: value }) => `$${name}: ${value === undefined ? type : nullable(type)}`,
  );
  const declared = variables.length > 0 ? `(${variables.join(', ')})` : '';
  const given =
    args.length > 0 ? `(${args.map(({ name }) => `${name}: $${name}`).join(', ')})` : '';
  return `${kind} ${field.name}${declared} { ${field.name}${given}${selection && ` ${selection}`} }`;
};

/** Names the input field for chosen fields, so that it meets no argument. */
const fieldsName = (operation: NamedOperation): string => {
  const names = new Set(usableArguments(operation).map(({ name }) => name));
  let name = 'fields';
  while (names.has(name)) name = `_${name}`;
  return name;
};

/** Describes the input field, with the fields that lead to other objects. */
const fieldsSchema = (type: string, types: Types): JsonSchema => {
  const name = namedType(type);
  const links = fieldsOf(types, name)
    .filter((field) => isComposite(types, namedType(field.type)) && !field.deprecated)
    .slice(0, MAX_LINKS)
    .map((field) => field.name);
  const more = links.length > 0 ? ` It leads on to: ${links.join(', ')}.` : '';
  return {
    type: 'string',
    minLength: 1,
    maxLength: MAX_FIELDS_TEXT,
    description: `Fields of ${name} to return, in GraphQL, such as "id owner { login }"; the usual ones when absent.${more}`,
  };
};

const withFields = (schema: JsonSchema, name: string, fields: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...(schema.properties as JsonSchema), [name]: fields },
});

const descriptionOf = ({ kind, field }: NamedOperation): string =>
  field.about ?? `The ${kind} ${field.name} of a GraphQL service.`;

/**
 * Describes the operation for the lock, so that a mutation that becomes a query (which asks nobody) is
 * noticed.
 */
const documentationOf = ({ kind, field }: NamedOperation): string =>
  `GraphQL ${kind} ${field.name}.${field.deprecated ? ' The service calls it deprecated.' : ''}`;

/** Prepares, once and when first needed, what an operation's calls share. */
const plansOf = (operation: NamedOperation, { types, limits }: OperationDeps) => {
  const { field } = operation;
  const selection = lazy(() => selectFields(field.type, types, limits));
  return {
    input: lazy((): JsonSchema => {
      const schema = inputSchema(usableArguments(operation), types);
      if (!isComposite(types, namedType(field.type))) return schema;
      return withFields(schema, fieldsName(operation), fieldsSchema(field.type, types));
    }),
    output: lazy(
      (): JsonSchema =>
        outputSchema(field.type, selection(), (name) => types.get(name)?.kind === 'enum'),
    ),
    document: lazy((): string => {
      const set = selection();
      return operationDocument(operation, set ? selectionText(set) : '');
    }),
  };
};

/** Gives only what the schema names: the input may be of an agent. */
const variablesOf = (operation: NamedOperation, input: Input): Input =>
  Object.fromEntries(
    usableArguments(operation).flatMap(({ name }) =>
      Object.hasOwn(input, name) && input[name] !== undefined ? [[name, input[name]]] : [],
    ),
  );

export const buildOperation = (operation: NamedOperation, deps: OperationDeps): Tool => {
  const { settings, types, limits } = deps;
  const { kind, field, name } = operation;
  const { url, bearer } = ownSettings(settings);
  const plans = plansOf(operation, deps);
  const choice = isComposite(types, namedType(field.type)) ? fieldsName(operation) : undefined;
  const queryFor = async (input: Input): Promise<string> => {
    const fields = choice === undefined ? undefined : input[choice];
    if (choice === undefined || typeof fields !== 'string') return plans.document();
    const document = (selection: string): string => operationDocument(operation, selection);
    const checker = await deps.checker();
    return chosenDocument(fields, { ...checker, limits, field: choice, document });
  };
  return defineTool<Input, OperationResult>({
    ...sourceToolFields(settings, {
      name,
      tier: kind === 'query' ? 'read_only' : 'external_api',
      url: new URL(url),
      ...(bearer !== undefined && { secrets: [bearer] }),
    }),
    name,
    description: descriptionOf(operation),
    documentation: documentationOf(operation),
    ...(kind === 'query' && { retry: RetryPolicies.STANDARD }),
    input: plans.input as () => JsonSchema,
    output: plans.output as () => never,
    run: async (input, context) =>
      runOperation(
        operation,
        { query: await queryFor(input), variables: variablesOf(operation, input) },
        { settings, context },
      ),
  }) as Tool;
};
