/** Derives the tree of the configuration from its schema. */
import { z } from 'zod';
import { compact } from '../../kit/data/compact.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { configSchema } from '../schema.ts';
import type { ShapeNode } from './config-shape.ts';

const objectShape = (def: z.core.$ZodObjectDef): ShapeNode => {
  const entries = Object.entries(def.shape);
  const free = def.catchall?._zod.def.type === 'never' ? undefined : def.catchall;
  const properties = lazy(() =>
    Object.fromEntries(entries.map(([key, schema]) => [key, shapeOf(schema)])),
  );
  return {
    type: 'object',
    /** Reads the settings below when first asked: a start without any configuration needs none. */
    get properties() {
      return properties();
    },
    additionalProperties: free ? shapeOf(free) : false,
    required: entries.filter(([, schema]) => !schema._zod.optin).map(([key]) => key),
  };
};

const numberShape = (schema: z.core.$ZodType): ShapeNode => {
  const { isInt, def } = schema as z.ZodNumber;
  const lower = (def.checks ?? [])
    .map((check) => check._zod.def as Partial<z.core.$ZodCheckGreaterThanDef>)
    .find(({ check }) => check === 'greater_than');
  const bound = lower?.inclusive === false ? 'exclusiveMinimum' : 'minimum';
  return {
    type: isInt ? 'integer' : 'number',
    ...(lower && { [bound]: Number(lower.value) }),
  };
};

const kindShape = (schema: z.core.$ZodType): ShapeNode => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'default':
    case 'prefault':
      return { ...shapeOf(def.innerType), default: def.defaultValue };
    case 'optional':
      return shapeOf(def.innerType);
    case 'object':
      return objectShape(def);
    case 'record':
      return { type: 'object', additionalProperties: shapeOf(def.valueType) };
    case 'array':
      return { type: 'array', items: shapeOf(def.element) };
    case 'union':
      return { anyOf: def.options.map(shapeOf) };
    case 'enum':
      return { type: 'string', enum: Object.values(def.entries) };
    case 'literal':
      return { type: typeof def.values[0], const: def.values[0] };
    case 'number':
      return numberShape(schema);
    case 'unknown':
      return {};
    default:
      return { type: def.type };
  }
};

const shapeOf = (schema: z.core.$ZodType): ShapeNode => {
  const { description, project } = (z.globalRegistry.get(schema) ?? {}) as ShapeNode;
  // Not by spreading it: that would build the whole tree.
  return Object.assign(kindShape(schema), compact({ description, project }));
};

/**
 * Reads the schema directly: `z.toJSONSchema` gives the same, but costs every start a dozen
 * milliseconds. A test compares the two.
 */
export const configShape = (): ShapeNode => shapeOf(configSchema);
