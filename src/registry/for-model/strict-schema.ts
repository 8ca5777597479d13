/**
 * A schema in OpenAI's strict dialect: every object closed, every field required (an optional one may
 * be null instead), references only into `$defs`. What it cannot say is dropped and told; what it cannot
 * bear at all, such as a map with free keys, is a barrier to strictness.
 */

import { isRecord } from '../../kit/data/is-record.ts';
import { below, follow, type Loss, membersOf, type SchemaNode, stringsOf } from './definition.ts';
import { mergeAll } from './merge-schemas.ts';
import { jsonTypes, keepKeywords, orNull } from './strict-keywords.ts';

export interface StrictSchema {
  readonly schema: SchemaNode;
  readonly losses: readonly Loss[];
  /** Why it cannot be strict; when there is any, the schema is of no use. */
  readonly barriers: readonly Loss[];
}

/** The limits OpenAI publishes for strict schemas. */
const MAX_LEVELS = 10;
const MAX_PROPERTIES = 5_000;
const MAX_ENUM = 1_000;

interface Work {
  readonly root: SchemaNode;
  readonly losses: Loss[];
  readonly barriers: Loss[];
  /** By reference; `schema` is filled in when the target has been converted. */
  readonly definitions: Map<string, { readonly name: string; schema: SchemaNode }>;
  properties: number;
  values: number;
}

interface Place {
  readonly work: Work;
  readonly path: string;
  readonly level: number;
}

export const strictSchema = (root: SchemaNode): StrictSchema => {
  const work: Work = {
    root,
    losses: [],
    barriers: [],
    definitions: new Map(),
    properties: 0,
    values: 0,
  };
  const { $defs: _defs, definitions: _definitions, ...top } = root;
  const schema = convertObject(top, { work, path: '', level: 1 });
  const { losses, barriers, definitions } = work;
  if (work.properties > MAX_PROPERTIES) barriers.push({ path: '', lost: 'properties' });
  if (work.values > MAX_ENUM) barriers.push({ path: '', lost: 'enum' });
  const $defs = Object.fromEntries([...definitions.values()].map((one) => [one.name, one.schema]));
  return { schema: definitions.size > 0 ? { ...schema, $defs } : schema, losses, barriers };
};

const inside = ({ work, path, level }: Place, ...keys: readonly (string | number)[]): Place => ({
  work,
  path: below(path, ...keys),
  level: level + 1,
});

const barrier = ({ work, path }: Place, lost: string): SchemaNode => {
  work.barriers.push({ path, lost });
  return {};
};

const convert = (schema: unknown, place: Place): SchemaNode => {
  if (place.level > MAX_LEVELS) return barrier(place, 'depth');
  if (!isRecord(schema)) return barrier(place, String(schema));
  if (schema.$ref !== undefined) return convertReference(schema, place);
  if (Array.isArray(schema.allOf)) return convertAllOf(schema, place);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union) && !isRecord(schema.properties))
    return convertUnion(schema, union, place);
  const types = jsonTypes(schema);
  if (types.length === 0) return barrier(place, 'type');
  if (types.length > 1 && (types.includes('object') || types.includes('array'))) {
    const { description, ...rest } = schema;
    const anyOf = types.map((type) => convert({ ...rest, type, nullable: false }, place));
    return description === undefined ? { anyOf } : { description, anyOf };
  }
  if (types[0] === 'object') return convertObject(schema, place);
  if (types[0] === 'array') return convertArray(schema, place);
  return keep({ ...schema, type: types.length === 1 ? types[0] : types }, place);
};

const keep = (schema: SchemaNode, { work, path }: Place): SchemaNode => {
  const { kept, lost } = keepKeywords(schema);
  for (const keyword of lost) work.losses.push({ path, lost: keyword });
  if (Array.isArray(kept.enum)) work.values += kept.enum.length;
  return kept;
};

const convertObject = (schema: SchemaNode, place: Place): SchemaNode => {
  const fields = membersOf(schema.properties);
  const isOpen = schema.additionalProperties !== undefined && schema.additionalProperties !== false;
  if (isOpen) return barrier(place, 'additionalProperties');
  if (schema.patternProperties !== undefined) return barrier(place, 'patternProperties');
  // Without fields and not closed it is a map, except at the root, where it means no parameters.
  const isMap = fields.length === 0 && schema.additionalProperties !== false && place.level > 1;
  if (isMap) return barrier(place, 'properties');
  place.work.properties += fields.length;
  const required = new Set(stringsOf(schema.required));
  const properties = fields.map(([name, field]) => {
    const converted = convert(field, inside(place, 'properties', name));
    return [name, required.has(name) ? converted : orNull(converted)] as const;
  });
  return {
    ...keep({ ...schema, type: 'object' }, place),
    properties: Object.fromEntries(properties),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
};

const convertArray = (schema: SchemaNode, place: Place): SchemaNode => {
  if (schema.prefixItems !== undefined) return barrier(place, 'prefixItems');
  if (!isRecord(schema.items)) return barrier(place, 'items');
  const items = convert(schema.items, inside(place, 'items'));
  return { ...keep({ ...schema, type: 'array' }, place), items };
};

const convertUnion = (schema: SchemaNode, union: readonly unknown[], place: Place): SchemaNode => {
  const keyword = schema.anyOf === undefined ? 'oneOf' : 'anyOf';
  if (keyword === 'oneOf') place.work.losses.push({ path: place.path, lost: 'oneOf' });
  const { [keyword]: _union, type, ...rest } = schema;
  const anyOf = union.map((branch, at) => {
    // A type beside the union holds for every branch that has none of its own.
    const whole = isRecord(branch) && type !== undefined ? { type, ...branch } : branch;
    return convert(whole, inside(place, keyword, at));
  });
  return { ...keep(rest, place), anyOf };
};

const convertAllOf = (schema: SchemaNode, place: Place): SchemaNode => {
  const { allOf, ...rest } = schema;
  const parts = (allOf as readonly unknown[]).map((part) =>
    isRecord(part) && part.$ref !== undefined ? follow(place.work.root, part.$ref) : part,
  );
  const objects = parts.filter(isRecord).filter((part) => part.allOf === undefined);
  const canMerge =
    objects.length === parts.length &&
    (parts.length === 1 || objects.every((part) => jsonTypes(part)[0] === 'object'));
  return canMerge ? convert(mergeable([...objects, rest]), place) : barrier(place, 'allOf');
};

const mergeable = (parts: readonly SchemaNode[]): SchemaNode =>
  parts.some((part) => isRecord(part.properties)) ? mergeAll(parts) : Object.assign({}, ...parts);

const convertReference = ({ $ref, ...siblings }: SchemaNode, place: Place): SchemaNode => {
  const { work } = place;
  const target = follow(work.root, $ref);
  if (target === undefined) return barrier(place, '$ref');
  // A reference must stand alone; what stood beside it is wording, as a rule.
  for (const lost of Object.keys(siblings)) work.losses.push({ path: place.path, lost });
  if (target === work.root) return { $ref: '#' };
  const pointer = String($ref);
  const known = work.definitions.get(pointer);
  if (known) return { $ref: `#/$defs/${known.name}` };
  const definition = { name: freshName(pointer, work), schema: {} as SchemaNode };
  work.definitions.set(pointer, definition);
  // Levels are counted anew: a reference is not nesting.
  definition.schema = convert(target, { work, path: pointer.slice(1), level: 2 });
  return { $ref: `#/$defs/${definition.name}` };
};

const freshName = (pointer: string, { definitions }: Work): string => {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1).replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  const taken = new Set([...definitions.values()].map(({ name }) => name));
  return taken.has(last) ? `${last}_${definitions.size}` : last;
};
