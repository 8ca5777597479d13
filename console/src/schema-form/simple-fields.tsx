/** The controls for single values: text, numbers, yes and no, choices, and JSON for the rest. */
import { useState } from 'react';
import type { JsonSchema } from '../api/tool-records.ts';
import { type ControlIds, Field } from '../components/field.tsx';
import { SafeText } from '../components/safe-text.tsx';
import { plainVisible } from '../components/visible-text.ts';
import { InvalidJson } from './check-value.ts';
import type { FieldPlan } from './field-plan.ts';
import { problemOf, type SchemaFieldProps } from './field-props.ts';

interface ControlProps {
  readonly field: SchemaFieldProps;
  readonly schema: JsonSchema;
  readonly ids: ControlIds;
}

/** Draws a text field. An optional one that is empty is left out of the value. */
const TextControl = ({ field, ids, isLong }: ControlProps & { readonly isLong: boolean }) => {
  const value = typeof field.value === 'string' ? field.value : '';
  const change = (text: string): void =>
    field.onChange(text === '' && !field.isRequired ? undefined : text);
  return isLong ? (
    <textarea {...ids} rows={5} value={value} onChange={(event) => change(event.target.value)} />
  ) : (
    <input {...ids} value={value} onChange={(event) => change(event.target.value)} />
  );
};

/** Reads a number. Gives NaN for text that is none: it must not be left out silently. */
const numberIn = ({ value, validity, valueAsNumber }: HTMLInputElement): number | undefined =>
  value === '' && !validity.badInput ? undefined : valueAsNumber;

const NumberControl = ({ field, schema, ids, step }: ControlProps & { readonly step: string }) => (
  <input
    {...ids}
    type="number"
    step={step}
    min={typeof schema.minimum === 'number' ? schema.minimum : undefined}
    max={typeof schema.maximum === 'number' ? schema.maximum : undefined}
    value={typeof field.value === 'number' && !Number.isNaN(field.value) ? field.value : ''}
    onChange={({ target }) => field.onChange(numberIn(target))}
  />
);

const ChoiceControl = (props: ControlProps & { readonly options: readonly unknown[] }) => {
  const { field, ids, options } = props;
  const at = options.findIndex((option) => JSON.stringify(option) === JSON.stringify(field.value));
  return (
    <select
      {...ids}
      value={at < 0 ? '' : String(at)}
      onChange={({ target }) =>
        field.onChange(target.value === '' ? undefined : options[Number(target.value)])
      }
    >
      {(at < 0 || !field.isRequired) && <option value="">not set</option>}
      {options.map((option, index) => (
        <option key={JSON.stringify(option)} value={index}>
          {plainVisible(typeof option === 'string' ? option : JSON.stringify(option))}
        </option>
      ))}
    </select>
  );
};

/** Keeps what is typed while it is not JSON yet. */
export const JsonControl = (props: {
  readonly ids: ControlIds;
  readonly value: unknown;
  readonly rows: number;
  onChange(value: unknown): void;
}) => {
  const { ids, value, rows, onChange } = props;
  const [text, setText] = useState(
    value instanceof InvalidJson ? value.text : (JSON.stringify(value, null, 2) ?? ''),
  );
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
    } catch {
      onChange(new InvalidJson(next));
    }
  };
  return (
    <textarea
      {...ids}
      className="json-box"
      rows={rows}
      spellCheck={false}
      value={text}
      onChange={(event) => change(event.target.value)}
    />
  );
};

type SimplePlan = Exclude<FieldPlan, { readonly kind: 'object' | 'array' | 'union' }>;

const Control = ({ plan, ...rest }: ControlProps & { readonly plan: SimplePlan }) => {
  switch (plan.kind) {
    case 'text':
      return <TextControl {...rest} isLong={plan.isLong} />;
    case 'number':
      return <NumberControl {...rest} step={plan.isInteger ? '1' : 'any'} />;
    case 'boolean':
      return <ChoiceControl {...rest} options={[true, false]} />;
    case 'choice':
      return <ChoiceControl {...rest} options={plan.options} />;
    default:
      return (
        <JsonControl
          ids={rest.ids}
          rows={4}
          value={rest.field.value}
          onChange={rest.field.onChange}
        />
      );
  }
};

export const SimpleField = (props: {
  readonly field: SchemaFieldProps;
  readonly schema: JsonSchema;
  readonly plan: SimplePlan;
}) => {
  const { field, schema, plan } = props;
  const hint = typeof schema.description === 'string' ? <SafeText text={schema.description} /> : '';
  return (
    <Field
      label={<SafeText text={field.name} />}
      hint={hint}
      problem={problemOf(field)}
      isRequired={field.isRequired}
    >
      {(ids) => <Control plan={plan} field={field} schema={schema} ids={ids} />}
    </Field>
  );
};
