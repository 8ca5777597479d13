/** Defines tools for Anthropic's Messages API: JSON Schema 2020-12 with a plain object at the root. */
import {
  below,
  type Defined,
  type Loss,
  membersOf,
  type SchemaNode,
  type Shown,
  stringsOf,
  to2020,
} from './definition.ts';
import { rootObject } from './root-object.ts';

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

export const anthropicTool = ({ tool, wireName, input }: Shown): Defined => {
  const losses: Loss[] = [];
  const root = rootObject(to2020(input), losses);
  const schema = root && withLegalNames(root, losses);
  if (schema === undefined) return { losses };
  const definition = { name: wireName, description: tool.description, input_schema: schema };
  return { definition, losses };
};

/** Leaves out fields whose names the API refuses, or the whole tool where such a field is required. */
const withLegalNames = (schema: SchemaNode, losses: Loss[]): SchemaNode | undefined => {
  const fields = membersOf(schema.properties);
  const illegal = fields.filter(([name]) => !PROPERTY.test(name)).map(([name]) => name);
  if (illegal.length === 0) return schema;
  for (const name of illegal)
    losses.push({ path: below('', 'properties', name), lost: 'properties' });
  if (stringsOf(schema.required).some((name) => illegal.includes(name))) return undefined;
  const legal = fields.filter(([name]) => !illegal.includes(name));
  return { ...schema, properties: Object.fromEntries(legal) };
};
