/** One field of a form, by what its schema says. */
import { ArrayField, ObjectField, UnionField } from './compound-fields.tsx';
import { planField } from './field-plan.ts';
import type { SchemaFieldProps } from './field-props.ts';
import { resolveSchema } from './resolve-schema.ts';
import { SimpleField } from './simple-fields.tsx';

/** Deeper than this a value is easier to write as JSON. */
const MAX_DEPTH = 6;

const draw = (props: SchemaFieldProps) => <SchemaField {...props} />;

export const SchemaField = (field: SchemaFieldProps) => {
  const schema = resolveSchema(field.schema, field.root);
  const isDeep = field.path.length > MAX_DEPTH;
  const plan = isDeep ? ({ kind: 'json' } as const) : planField(schema, field.root, field.name);
  switch (plan.kind) {
    case 'object':
      return <ObjectField field={field} schema={schema} plan={plan} draw={draw} />;
    case 'array':
      return <ArrayField field={field} schema={schema} plan={plan} draw={draw} />;
    case 'union':
      return <UnionField field={field} schema={schema} plan={plan} draw={draw} />;
    default:
      return <SimpleField field={field} schema={schema} plan={plan} />;
  }
};
