/** Tools as Gemini's function declarations take them, in its subset of OpenAPI 3.0. */
import type { Defined, Loss, Shown } from './definition.ts';
import { geminiSchema } from './gemini-schema.ts';
import { rootObject } from './root-object.ts';
import { to2020 } from './to-2020.ts';

export const geminiTool = ({ tool, wireName, input }: Shown): Defined => {
  const losses: Loss[] = [];
  const root = rootObject(to2020(input), losses);
  if (root === undefined) return { losses };
  const parameters = geminiSchema(root, losses);
  // An object without fields is refused there; a function without parameters has none.
  const hasFields = Object.keys(parameters.properties ?? {}).length > 0;
  const definition = {
    name: wireName,
    description: tool.description,
    ...(hasFields && { parameters }),
  };
  return { definition, losses };
};
