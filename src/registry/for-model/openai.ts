/** Tools as OpenAI's function calling takes them: strict wherever the schema can be, said where it cannot. */
import type { Defined, Loss, SchemaNode, Shown } from './definition.ts';
import { rootObject } from './root-object.ts';
import { strictSchema } from './strict-schema.ts';
import { to2020 } from './to-2020.ts';

const MAX_DESCRIPTION = 1_024;

export const openaiTool = (shown: Shown): Defined => {
  const losses: Loss[] = [];
  const root = rootObject(to2020(shown.input), losses);
  if (root === undefined) return { losses };
  const strict = strictSchema(root);
  if (strict.barriers.length === 0) {
    losses.push(...strict.losses);
    return {
      definition: definitionOf(shown, { strict: true, parameters: strict.schema }, losses),
      losses,
    };
  }
  losses.push(...strict.barriers.map(({ path, lost }) => ({ path, lost: `strict: ${lost}` })));
  return { definition: definitionOf(shown, { strict: false, parameters: root }, losses), losses };
};

interface Form {
  readonly strict: boolean;
  readonly parameters: SchemaNode;
}

const definitionOf = ({ tool, wireName }: Shown, form: Form, losses: Loss[]) => {
  const isLong = tool.description.length > MAX_DESCRIPTION;
  if (isLong) losses.push({ path: '', lost: 'description' });
  const description = isLong
    ? `${tool.description.slice(0, MAX_DESCRIPTION - 1)}…`
    : tool.description;
  return { type: 'function', function: { name: wireName, description, ...form } };
};
