/** The controls for values made of others: objects, lists, and the choice between several shapes. */

import { type ReactNode, useRef, useState } from 'react';
import { isRecord } from '../api/is-record.ts';
import type { JsonSchema } from '../api/tool-records.ts';
import { Button } from '../components/button.tsx';
import { FilterSelect } from '../components/field.tsx';
import { SafeText } from '../components/safe-text.tsx';
import { plainVisible } from '../components/visible-text.ts';
import { checkValue } from './check-value.ts';
import { type FieldPlan, planField } from './field-plan.ts';
import { type DrawField, problemOf, type SchemaFieldProps } from './field-props.ts';
import { initialValue } from './initial-value.ts';

type PlanOf<K extends FieldPlan['kind']> = Extract<FieldPlan, { readonly kind: K }>;

interface CompoundProps<K extends FieldPlan['kind']> {
  readonly field: SchemaFieldProps;
  readonly schema: JsonSchema;
  readonly plan: PlanOf<K>;
  readonly draw: DrawField;
}

/** Draws a group with its name, its description, and a control to leave it out. */
const Group = (props: {
  readonly field: SchemaFieldProps;
  readonly schema: JsonSchema;
  readonly children: ReactNode;
}) => {
  const { field, schema, children } = props;
  const problem = problemOf(field);
  const canGo = !field.isRequired && field.value !== undefined;
  return (
    <fieldset className="group">
      <legend>
        <SafeText text={field.name} />
        {field.isRequired && <span className="required"> required</span>}
      </legend>
      {typeof schema.description === 'string' && (
        <p className="hint">
          <SafeText text={schema.description} />
        </p>
      )}
      {children}
      {problem && (
        <p className="problem">
          <SafeText text={problem} />
        </p>
      )}
      {canGo && (
        <div>
          <Button isSmall kind="quiet" icon="trash" onClick={() => field.onChange(undefined)}>
            Leave out <SafeText text={field.name} />
          </Button>
        </div>
      )}
    </fieldset>
  );
};

const AddButton = ({ field, schema }: Pick<CompoundProps<'object'>, 'field' | 'schema'>) => (
  <div>
    <Button
      isSmall
      icon="plus"
      onClick={() => field.onChange(initialValue(schema, field.root) ?? {})}
    >
      Set <SafeText text={field.name} />
    </Button>
  </div>
);

/** Draws the fields of an object, without a frame of their own. */
export const Properties = ({ field, plan, draw }: Omit<CompoundProps<'object'>, 'schema'>) => {
  const value = isRecord(field.value) ? field.value : {};
  return plan.properties.map(({ name, schema, isRequired }) => (
    <div key={name}>
      {draw({
        ...field,
        name,
        schema,
        isRequired,
        path: [...field.path, name],
        value: Object.hasOwn(value, name) ? value[name] : undefined,
        onChange: (next) => {
          const { [name]: _gone, ...rest } = value;
          field.onChange(next === undefined ? rest : { ...value, [name]: next });
        },
      })}
    </div>
  ));
};

export const ObjectField = ({ field, schema, plan, draw }: CompoundProps<'object'>) => (
  <Group field={field} schema={schema}>
    {field.value === undefined ? (
      <AddButton field={field} schema={schema} />
    ) : (
      <Properties field={field} plan={plan} draw={draw} />
    )}
  </Group>
);

/** Gives each item a key that stays with it: an input keeps its text, so it must not serve another item. */
const useItemKeys = (count: number) => {
  const state = useRef({ keys: [] as number[], next: 0 });
  const { keys } = state.current;
  while (keys.length < count) keys.push(state.current.next++);
  keys.length = count;
  return {
    at: (index: number): number | undefined => keys[index],
    drop: (index: number): void => void keys.splice(index, 1),
  };
};

export const ArrayField = ({ field, schema, plan, draw }: CompoundProps<'array'>) => {
  const items: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const keys = useItemKeys(items.length);
  const add = (): void => field.onChange([...items, initialValue(plan.items, field.root) ?? null]);
  const remove = (index: number): void => {
    keys.drop(index);
    field.onChange(items.filter((_, at) => at !== index));
  };
  return (
    <Group field={field} schema={schema}>
      {items.map((item, index) => (
        <div key={keys.at(index)} className="item">
          {draw({
            ...field,
            name: `${field.name} ${index + 1}`,
            schema: plan.items,
            isRequired: true,
            path: [...field.path, index],
            value: item,
            onChange: (next) => field.onChange(items.with(index, next ?? null)),
          })}
          <Button
            kind="quiet"
            icon="trash"
            aria-label={`Remove ${plainVisible(field.name)} ${index + 1}`}
            onClick={() => remove(index)}
          />
        </div>
      ))}
      <div>
        <Button isSmall icon="plus" onClick={add}>
          Add to <SafeText text={field.name} />
        </Button>
      </div>
    </Group>
  );
};

/** Draws the chosen shape; that of an object needs no second frame around it. */
const Branch = ({ field, schema, draw }: Omit<CompoundProps<'union'>, 'plan'>) => {
  const plan = planField(schema, field.root, field.name);
  return plan.kind === 'object' ? (
    <Properties field={field} plan={plan} draw={draw} />
  ) : (
    draw({ ...field, schema: { ...schema, description: '' } })
  );
};

export const UnionField = ({ field, schema, plan, draw }: CompoundProps<'union'>) => {
  const { branches } = plan;
  const fitting = branches.findIndex(
    (branch) => checkValue(field.value, branch.schema, field.root).length === 0,
  );
  const [chosen, setChosen] = useState(Math.max(fitting, 0));
  const branch = branches[chosen] ?? { title: '', schema: {} };
  const choose = (at: number): void => {
    setChosen(at);
    field.onChange(initialValue(branches[at]?.schema ?? {}, field.root));
  };
  return (
    <Group field={field} schema={schema}>
      <FilterSelect
        label="Shape"
        value={String(chosen)}
        options={branches.map(({ title }, index) => [String(index), title])}
        onChange={(at) => choose(Number(at))}
      />
      <Branch key={chosen} field={field} schema={branch.schema} draw={draw} />
    </Group>
  );
};
