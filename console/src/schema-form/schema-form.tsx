/** The input of a tool: as a form made from its schema, or as JSON. Both edit the same value. */
import { useState } from 'react';
import type { Issue, JsonSchema } from '../api/tool-records.ts';
import { Field } from '../components/field.tsx';
import { SafeText } from '../components/safe-text.tsx';
import { Tabs } from '../components/tabs.tsx';
import { InvalidJson, pathText } from './check-value.ts';
import { Properties } from './compound-fields.tsx';
import { planField } from './field-plan.ts';
import { resolveSchema } from './resolve-schema.ts';
import { SchemaField } from './schema-field.tsx';
import { JsonControl } from './simple-fields.tsx';

interface FormProps {
  readonly schema: JsonSchema;
  readonly value: unknown;
  onChange(value: unknown): void;
  /** Shown beside the fields; an empty list while nothing is known to be wrong. */
  readonly issues: readonly Issue[];
  readonly startsAs?: 'form' | 'json';
}

const MODES = [
  { id: 'form', title: 'Form' },
  { id: 'json', title: 'JSON' },
] as const;

const draw = (props: Parameters<typeof SchemaField>[0]) => <SchemaField {...props} />;

const FormFields = ({ schema, value, onChange, issues }: FormProps) => {
  const top = resolveSchema(schema, schema);
  const plan = planField(top, schema);
  const field = { name: 'input', path: [], schema, root: schema, isRequired: true, issues };
  if (plan.kind !== 'object') return <SchemaField {...field} value={value} onChange={onChange} />;
  if (plan.properties.length === 0) return <p className="muted">This tool takes no input.</p>;
  return <Properties field={{ ...field, value, onChange }} plan={plan} draw={draw} />;
};

const IssueList = ({ issues }: Pick<FormProps, 'issues'>) =>
  issues.length === 0 ? null : (
    <ul className="issues">
      {issues.map(({ path, message }) => (
        <li key={`${pathText(path)} ${message}`} className="problem">
          {path.length > 0 && (
            <>
              <code>
                <SafeText text={pathText(path)} />
              </code>{' '}
            </>
          )}
          <SafeText text={message} />
        </li>
      ))}
    </ul>
  );

export const SchemaForm = (props: FormProps) => {
  const [mode, setMode] = useState<string>(props.startsAs ?? 'form');
  // A form cannot show text that is not JSON: it has to be put right first.
  const isStuck = props.value instanceof InvalidJson;
  return (
    <Tabs
      label="How to write the input"
      tabs={MODES}
      selected={isStuck ? 'json' : mode}
      onSelect={(next) => !isStuck && setMode(next)}
    >
      {mode === 'form' && !isStuck ? (
        <FormFields {...props} />
      ) : (
        <Field label="Input as JSON">
          {(ids) => (
            <JsonControl ids={ids} rows={14} value={props.value} onChange={props.onChange} />
          )}
        </Field>
      )}
      <IssueList issues={props.issues} />
    </Tabs>
  );
};
