/** Tools as Anthropic's Messages API takes them: JSON Schema 2020-12 with a plain object at the root. */
import {
  below,
  type Defined,
  type Loss,
  membersOf,
  type SchemaNode,
  type Shown,
  stringsOf,
} from './definition.ts';
import { rootObject } from './root-object.ts';
import { to2020 } from './to-2020.ts';

const PROPERTY = /^[a-zA-Z0-9_.-]{1,64}$/;

export const anthropicTool = ({ tool, wireName, input }: Shown): Defined => {
  const losses: Loss[] = [];
  const root = rootObject(to2020(input), losses);
  const schema = root && withLegalNames(root, losses);
  if (schema === undefined) return { losses };
  const definition = { name: wireName, description: tool.description, input_schema: schema };
  return { definition, losses };
};

/** A field name the API refuses would fail every request; the tool goes too where the field is required. */
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
