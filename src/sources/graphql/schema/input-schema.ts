/** Writes the arguments of an operation as JSON Schema. */
import type { JsonSchema } from '../../../contract/schema.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import {
  type ArgumentEntry,
  type InputEntry,
  isNeeded,
  isRequired,
  isTooDeep,
  itemType,
  namedType,
  nullable,
  type Types,
} from './definition.ts';

/** A schema with more objects gets definitions that are shared. */
const MAX_INLINE = 40;
/** What lies further away is left to the service: some inputs reach the whole schema. */
const MAX_DEFINITIONS = 60;
/** Fields of all these definitions together: the compiler takes no more. */
const MAX_FIELDS = 700;
const MAX_ENUM = 1_000;
const MAX_DEFAULT = 80;
const MAX_INT = 2_147_483_647;

const SCALARS: ReadonlyMap<string, JsonSchema> = new Map([
  ['String', { type: 'string' }],
  ['ID', { type: 'string' }],
  ['Boolean', { type: 'boolean' }],
  ['Float', { type: 'number' }],
  ['Int', { type: 'integer', minimum: -MAX_INT - 1, maximum: MAX_INT }],
]);

/** Adds `null` to what a schema accepts. */
const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  if (Array.isArray(values))
    return { ...schema, enum: [...values, null], type: ['string', 'null'] };
  if (typeof type === 'string') return { ...schema, type: [type, 'null'] };
  return schema.$ref === undefined ? schema : { anyOf: [schema, { type: 'null' }] };
};

/** Writes a default for a description. Its text is the service's, so nothing in it stays hidden. */
const presetNote = (value: unknown): string => {
  const characters = [...JSON.stringify(value).slice(0, MAX_DEFAULT * 2)];
  return `Default: ${visibleText(characters.slice(0, MAX_DEFAULT).join(''))}.`;
};

const enumSchema = (values: readonly string[]): JsonSchema =>
  values.length <= MAX_ENUM
    ? { type: 'string', enum: values }
    : { type: 'string', description: `One of ${values.length} values, e.g. ${values[0] ?? ''}.` };

class TooManyInline extends Error {}

class InputWriter {
  readonly #types: Types;
  readonly #inline: boolean;
  readonly #definitions = new Map<string, JsonSchema>();
  readonly #waiting: string[] = [];
  readonly #named = new Set<string>();
  #objects = 0;
  #fields = 0;

  constructor(types: Types, inline: boolean) {
    this.#types = types;
    this.#inline = inline;
  }

  /** Throws `TooManyInline` where definitions are needed: for a cycle, or for too many objects. */
  root(fields: readonly ArgumentEntry[]): JsonSchema {
    const schema = this.#members(fields, []);
    for (let name = this.#waiting.shift(); name !== undefined; name = this.#waiting.shift()) {
      const entry = this.#types.get(name);
      if (entry?.kind === 'input') this.#definitions.set(name, this.#object(entry, []));
    }
    const $defs = Object.fromEntries(this.#definitions);
    return this.#definitions.size > 0 ? { ...schema, $defs } : schema;
  }

  #members(fields: readonly ArgumentEntry[], above: readonly string[]): JsonSchema {
    const usable = fields.filter(({ name }) => !isPrototypeKey(name));
    const required = usable.filter(isNeeded).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(usable.map((each) => [each.name, this.#member(each, above)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
  }

  #object(entry: InputEntry, above: readonly string[]): JsonSchema {
    const about = entry.about === undefined ? {} : { description: entry.about };
    if (!entry.oneOf) return { ...this.#members(entry.fields, above), ...about };
    const given = entry.fields.map((each) => ({ ...each, type: `${nullable(each.type)}!` }));
    const { required: _, ...members } = this.#members(given, above);
    return { ...members, minProperties: 1, maxProperties: 1, ...about };
  }

  /**
   * Adds a member. Its default is described but not filled in: the service applies its own, also when that
   * changes.
   */
  #member({ type, about, default: value }: ArgumentEntry, above: readonly string[]): JsonSchema {
    const preset = value === undefined || value === null ? undefined : presetNote(value);
    const texts = [about, preset].filter((text) => text !== undefined);
    return {
      ...this.#value(type, above),
      ...(texts.length > 0 && { description: texts.join(' ') }),
    };
  }

  #value(type: string, above: readonly string[]): JsonSchema {
    if (isTooDeep(type)) return { description: 'Lists in lists.' };
    const item = itemType(type);
    const schema: JsonSchema =
      item === undefined
        ? this.#ofName(namedType(type), above)
        : { type: 'array', items: this.#value(item, above) };
    return isRequired(type) ? schema : orNull(schema);
  }

  #ofName(name: string, above: readonly string[]): JsonSchema {
    const scalar = SCALARS.get(name);
    if (scalar) return scalar;
    const entry = this.#types.get(name);
    if (entry?.kind === 'input') return this.#input(name, entry, above);
    if (entry?.kind === 'enum') return enumSchema(entry.values);
    const about = entry?.kind === 'scalar' ? (entry.about ?? entry.url) : undefined;
    return { description: about ?? `A value of the scalar type ${name}.` };
  }

  #input(name: string, entry: InputEntry, above: readonly string[]): JsonSchema {
    if (this.#inline) {
      this.#objects += 1;
      if (above.includes(name) || this.#objects > MAX_INLINE) throw new TooManyInline();
      return this.#object(entry, [...above, name]);
    }
    if (!this.#named.has(name)) {
      const fields = this.#fields + entry.fields.length;
      if (this.#named.size >= MAX_DEFINITIONS || fields > MAX_FIELDS) {
        return { type: 'object', description: `An object of the input type ${name}.` };
      }
      this.#fields = fields;
      this.#named.add(name);
      this.#waiting.push(name);
    }
    return { $ref: `#/$defs/${name}` };
  }
}

/** Gives the JSON Schema of arguments; input types are definitions where they contain themselves. */
export const inputSchema = (fields: readonly ArgumentEntry[], types: Types): JsonSchema => {
  try {
    return new InputWriter(types, true).root(fields);
  } catch (error) {
    if (!(error instanceof TooManyInline)) throw error;
    return new InputWriter(types, false).root(fields);
  }
};

/** Says why no call of an operation could be made; `undefined` when it can. */
export const inputFault = (fields: readonly ArgumentEntry[], types: Types): string | undefined => {
  const isKnown = ({ type }: ArgumentEntry): boolean =>
    SCALARS.has(namedType(type)) || types.has(namedType(type));
  const unknown = fields.find((each) => isNeeded(each) && !isKnown(each));
  if (unknown) return `its argument ${unknown.name} has a type that cannot be used`;
  const reserved = fields.find((each) => isNeeded(each) && isPrototypeKey(each.name));
  return reserved && `its argument is called ${reserved.name}, which cannot be sent safely`;
};
