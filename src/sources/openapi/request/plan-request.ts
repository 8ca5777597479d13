/**
 * Plans the requests of one operation: the fields of its input, and how each is sent. Made when the
 * tool's schema is first needed, or at its first call.
 */
import type { JsonSchema } from '../../../contract/schema.ts';
import { type Operation, parametersOf } from '../operations/list-operations.ts';
import { shortText } from '../operations/short-text.ts';
import { modernParameter } from '../operations/swagger-two.ts';
import type { Converted } from '../schema/converted.ts';
import type { SchemaBook } from '../schema/schema-book.ts';
import { type Body, bodyOf } from './body.ts';
import { fieldName, MAX_FIELD } from './field-names.ts';
import { type Parameter, PLACES, parameterOf } from './parameter.ts';
import { type BodyFields, planBody } from './plan-body.ts';

/** A parameter, and the field of the input that holds its value. */
export interface ParameterField {
  readonly field: string;
  readonly parameter: Parameter;
}

export interface RequestPlan {
  readonly input: JsonSchema;
  readonly parameters: readonly ParameterField[];
  readonly body: BodyFields | undefined;
}

const MAX_DESCRIPTION = 240;
const MAX_PARAMETERS = 300;

/** Returns the name itself, or with the place of the parameter appended when it is taken. */
const freeName = (name: string, place: string, taken: ReadonlySet<string>): string => {
  const plain = fieldName(name);
  if (!taken.has(plain)) return plain;
  const base = `${plain.slice(0, MAX_FIELD - 12)}_${place}`;
  if (!taken.has(base)) return base;
  for (let count = 2; ; count += 1) {
    if (!taken.has(`${base}_${count}`)) return `${base}_${count}`;
  }
};

/** Parameters that carry credentials, which no caller sets: `query key`, in lower case. */
export type CredentialNames = ReadonlySet<string>;

const templatesIn = (text: string, named: ReadonlySet<string>): readonly string[] =>
  [...text.matchAll(/\{([^{}]{1,500})\}/g)].flatMap(([, name]) =>
    name === undefined || named.has(name) ? [] : [name],
  );

const listParameters = (
  operation: Operation,
  book: SchemaBook,
  credentials: CredentialNames,
): readonly Parameter[] => {
  const all = parametersOf(operation, book.resolver).flatMap(
    (raw) => parameterOf(modernParameter(raw)) ?? [],
  );
  const used = all.filter(
    ({ place, name }) =>
      (place !== 'path' || operation.path.includes(`{${name}}`)) &&
      !credentials.has(`${place} ${name.toLowerCase()}`),
  );
  const namesAt = (at: Parameter['place']): readonly string[] =>
    used.flatMap(({ place, name }) => (place === at ? [name] : []));
  const [steps = '', query = ''] = operation.path.split('?', 2);
  // A template without its parameter is still a parameter.
  const missing = [
    ...templatesIn(steps, new Set(namesAt('path'))),
    ...templatesIn(query, new Set([...namesAt('path'), ...namesAt('query')])),
  ].map((name) => templateParameter(name, operation.address));
  return PLACES.flatMap((place) =>
    [...used, ...missing].filter((one) => one.place === place),
  ).slice(0, MAX_PARAMETERS);
};

const templateParameter = (name: string, address: string): Parameter => ({
  name,
  place: 'path',
  isRequired: true,
  description: undefined,
  style: 'simple',
  explode: false,
  allowReserved: false,
  contentType: undefined,
  schema: { value: { type: 'string' }, address, pointer: '' },
});

const describedAs = ({ schema, names }: Converted, description: unknown): Converted => {
  const text = shortText(description, MAX_DESCRIPTION);
  if (text === '') return { schema, names };
  const own = typeof schema.description === 'string' ? schema.description : '';
  const preset = /(?:^| )(Default: .*)$/.exec(own)?.[1];
  const said = preset === undefined ? text : `${text} ${preset}`;
  return { schema: { ...schema, description: said }, names };
};

class InputSchema {
  readonly #properties = new Map<string, JsonSchema>();
  readonly #required: string[] = [];
  readonly #names = new Set<string>();

  get taken(): ReadonlySet<string> {
    return new Set(this.#properties.keys());
  }

  add(field: string, { schema, names }: Converted, isRequired: boolean): void {
    this.#properties.set(field, schema);
    for (const name of names) this.#names.add(name);
    if (isRequired) this.#required.push(field);
  }

  schema(book: SchemaBook): JsonSchema {
    const schema = {
      type: 'object',
      properties: Object.fromEntries(this.#properties),
      ...(this.#required.length > 0 && { required: this.#required }),
      additionalProperties: false,
    };
    return book.assemble({ schema, names: this.#names }, 'request');
  }
}

const addBody = (body: Body, input: InputSchema, book: SchemaBook): BodyFields => {
  const plan = planBody(body, input.taken, book);
  for (const { field, converted, isRequired } of plan.fields) {
    const about = plan.isMerged ? undefined : body.description;
    input.add(field, describedAs(book.bounded(converted, 'request'), about), isRequired);
  }
  return plan;
};

export const planRequest = (
  operation: Operation,
  book: SchemaBook,
  credentials: CredentialNames = new Set(),
): RequestPlan => {
  const input = new InputSchema();
  const parameters = listParameters(operation, book, credentials).map(
    (parameter): ParameterField => {
      const field = freeName(parameter.name, parameter.place, input.taken);
      const converted = book.bounded(book.convert(parameter.schema, 'request'), 'request');
      input.add(field, describedAs(converted, parameter.description), parameter.isRequired);
      return { field, parameter };
    },
  );
  const body = bodyOf(operation, book.resolver);
  const planned = body && addBody(body, input, book);
  return { input: input.schema(book), parameters, body: planned };
};
