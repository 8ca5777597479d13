/** The fields of a new token. */
import { Field } from '../../components/field.tsx';
import { RoleField } from './role-field.tsx';
import { ROLES, type TokenForm, type TokenProblems } from './token-form.ts';

interface FieldsProps {
  readonly form: TokenForm;
  onChange(form: TokenForm): void;
  readonly problems: TokenProblems;
}

const TEXTS = [
  ['days', 'Days it lasts', 'Blank: until it is revoked.'],
  ['dailyUsd', 'Dollars a day', 'Blank: no limit of its own.'],
  ['tools', 'Tools', 'Names with commas between them. Blank: all that its role may call.'],
] as const;

const LEVELS = ['none', 'basic', 'strict', 'paranoid'];

const IsolationField = ({ form, onChange }: FieldsProps) => (
  <Field label="Isolation" hint="How far its calls are kept apart from this machine.">
    {(ids) => (
      <select
        {...ids}
        value={form.isolation}
        onChange={(event) => onChange({ ...form, isolation: event.target.value })}
      >
        <option value="">as the server has it</option>
        {LEVELS.map((level) => (
          <option key={level}>{level}</option>
        ))}
      </select>
    )}
  </Field>
);

export const TokenFields = (props: FieldsProps) => {
  const { form, onChange, problems } = props;
  const text = (name: 'name' | (typeof TEXTS)[number][0]) => ({
    value: form[name],
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: { target: { value: string } }) =>
      onChange({ ...form, [name]: event.target.value }),
  });
  return (
    <>
      <Field
        label="Name"
        hint="Whoever uses it is known as token:<name>."
        problem={problems.name}
        isRequired
      >
        {(ids) => <input {...ids} {...text('name')} />}
      </Field>
      <RoleField roles={ROLES} value={form.role} onChange={(role) => onChange({ ...form, role })} />
      {TEXTS.map(([name, label, hint]) => (
        <Field key={name} label={label} hint={hint} problem={problems[name]}>
          {(ids) => (
            <input {...ids} {...text(name)} inputMode={name === 'tools' ? 'text' : 'decimal'} />
          )}
        </Field>
      ))}
      <IsolationField {...props} />
    </>
  );
};
