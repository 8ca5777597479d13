/** Compares what the steps of a composition give their tools with the schemas of those, before anything runs. */
import type { Issue } from '../../../contract/errors.ts';
import type { JsonSchema, Schema } from '../../../contract/schema.ts';
import type { Tool } from '../../../contract/tool.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import { compileSchema, isZodSchema } from '../../../registry/schema/compile-schema.ts';
import { literalMisfits } from '../../declared/check/literal-input.ts';
import { type FlowShapes, type Misfit, valueMisfits } from '../../declared/check/schema-fit.ts';
import { simplifySchema } from '../../declared/check/simplify-schema.ts';
import { handedOnSchema } from '../combined-facts.ts';
import { jsonOf } from '../object-shape.ts';
import type { StepTarget } from './composition-shape.ts';

/** The form of a value of each group of parameters. */
const FORMS = { static: 'value', dynamic: 'from', computed: 'cel' } as const;

type Kind = keyof typeof FORMS;

const KINDS: readonly Kind[] = ['static', 'dynamic', 'computed'];

/** More names than that are not compared with those that may be meant. */
const MAX_HINTS = 100;

export interface StepShapesDeps {
  readonly schema: JsonSchema;
  /** Returns the tool that makes the data of a step; nothing where more than one may. */
  toolOf(id: string): Tool | undefined;
}

/** Gives the schemas of what the paths of a composition lead to. */
export const stepShapes = ({ schema, toolOf }: StepShapesDeps): FlowShapes => {
  let hints = 0;
  return {
    input: simplifySchema(schema),
    item: undefined,
    stepData: (id) => {
      const tool = toolOf(id);
      const output = tool && handedOnSchema(tool);
      return output && simplifySchema(output);
    },
    hint: (name, names) => {
      hints += 1;
      return hints > MAX_HINTS ? '' : didYouMean(name, Object.keys(names));
    },
  };
};

/** Returns the schema where it can be had at once; that of a JSON Schema is loaded first. */
const schemaOf = (tool: Tool): Schema | undefined => {
  const source = typeof tool.input === 'function' ? tool.input() : tool.input;
  const schema = isZodSchema(source) ? compileSchema(source) : undefined;
  return schema instanceof Promise ? undefined : schema;
};

/** Writes the parameters in the forms of values of flows. */
const specOf = ({ parameters }: StepTarget): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    KINDS.flatMap((kind) =>
      Object.entries(parameters[kind]).map(([name, value]) => [name, { [FORMS[kind]]: value }]),
    ),
  );

const kindOf = ({ parameters }: StepTarget, name: string): Kind =>
  KINDS.find((kind) => Object.hasOwn(parameters[kind], name)) ?? 'static';

/** Lists what never fits. A path begins with the group of the parameter. */
export const parameterIssues = (
  tool: Tool,
  target: StepTarget,
  shapes: FlowShapes,
): readonly Issue[] => {
  const spec = specOf(target);
  const json = simplifySchema(jsonOf(tool.input, 'input'));
  const parts = valueMisfits(spec, json, shapes);
  const schema = schemaOf(tool);
  const whole = schema ? literalMisfits(spec, schema, parts) : [];
  return [...parts, ...whole].map(({ path, message, missing }: Misfit): Issue => {
    const [name, _form, ...inner] = path;
    if (name === undefined) {
      const needs = `${tool.name} needs the parameter ${missing}`;
      return { path: [], message: missing === undefined ? message : needs };
    }
    const place = [kindOf(target, String(name)), name, ...inner];
    if (path.length > 1) return { path: place, message };
    const properties = json.properties ?? {};
    const hint = shapes.hint(String(name), Object(properties) as object);
    return { path: place, message: `${tool.name} has no parameter ${name}${hint}` };
  });
};
