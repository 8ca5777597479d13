/** Reads the parameters of Swagger 2 as those of OpenAPI 3: body and form parameters become a body. */
import type { Fields } from './definition.ts';
import type { Located } from './resolver.ts';

type LocatedFields = Located & { readonly value: Fields };

const asSchema = ({ type, ...fields }: Fields): Fields =>
  type === 'file' ? { ...fields, type: 'string', format: 'binary' } : { ...fields, type };

const COLLECTIONS: Readonly<Record<string, Fields>> = {
  csv: { style: 'form', explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { style: 'form', explode: true },
};

const collectionOf = ({ collectionFormat, type, in: place }: Fields): Fields => {
  if (type !== 'array') return {};
  const format = typeof collectionFormat === 'string' ? collectionFormat : 'csv';
  const isRepeatable = place === 'query' || place === 'formData';
  // In a path or a header a list is written once, and csv is its default.
  if (!isRepeatable && (format === 'csv' || format === 'multi')) return {};
  return (Object.hasOwn(COLLECTIONS, format) ? COLLECTIONS[format] : undefined) ?? {};
};

/** Converts a parameter of path, query or header. One of OpenAPI 3 stays unchanged. */
export const modernParameter = (parameter: LocatedFields): LocatedFields => {
  const { value } = parameter;
  if (value.schema !== undefined || value.content !== undefined || value.type === undefined) {
    return parameter;
  }
  const { description: _said, ...schema } = asSchema(value);
  const { name, in: place, required, description } = value;
  return {
    ...parameter,
    value: { name, in: place, required, description, ...collectionOf(value), schema },
  };
};

const mediaTypes = (own: unknown, ofDocument: unknown): readonly string[] => {
  const list = Array.isArray(own) && own.length > 0 ? own : ofDocument;
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
};

const formBody = (form: readonly LocatedFields[], consumes: readonly string[]): Fields => {
  const named = form.filter(({ value }) => typeof value.name === 'string');
  const schema = {
    type: 'object',
    properties: Object.fromEntries(named.map(({ value }) => [value.name, asSchema(value)])),
    required: named.flatMap(({ value }) => (value.required === true ? [value.name] : [])),
  };
  const hasFile = named.some(({ value }) => value.type === 'file');
  const isMultipart = hasFile || consumes.some((type) => type.startsWith('multipart/'));
  const isForm = consumes.some((type) => type.startsWith('application/x-www-form-urlencoded'));
  const type =
    hasFile || (isMultipart && !isForm)
      ? 'multipart/form-data'
      : 'application/x-www-form-urlencoded';
  const encoding = Object.fromEntries(
    named
      .map(({ value }) => [value.name, collectionOf(value)])
      .filter(([, one]) => Object.keys(one as object).length > 0),
  );
  return {
    required: schema.required.length > 0,
    content: { [type]: { schema, encoding } },
  };
};

export interface SwaggerBodyDeps {
  readonly operation: Fields;
  readonly root: Fields;
}

/** Makes the body that the parameters of an operation describe; `undefined` when they describe none. */
export const swaggerBody = (
  parameters: readonly LocatedFields[],
  { operation, root }: SwaggerBodyDeps,
): LocatedFields | undefined => {
  const consumes = mediaTypes(operation.consumes, root.consumes);
  const body = parameters.find(({ value }) => value.in === 'body');
  if (body) {
    const types = consumes.length > 0 ? consumes : ['application/json'];
    const { schema, required, description } = body.value;
    const content = Object.fromEntries(types.map((type) => [type, { schema }]));
    return { ...body, value: { required, description, content } };
  }
  const form = parameters.filter(({ value }) => value.in === 'formData');
  const [first] = form;
  return first && { ...first, value: formBody(form, consumes) };
};

/** Converts the contents of a response of Swagger 2 to those of OpenAPI 3. */
export const swaggerContent = (response: Fields, { operation, root }: SwaggerBodyDeps): unknown => {
  if (response.schema === undefined) return undefined;
  const types = mediaTypes(operation.produces, root.produces);
  const { schema } = response;
  return Object.fromEntries(
    (types.length > 0 ? types : ['application/json']).map((type) => [type, { schema }]),
  );
};
