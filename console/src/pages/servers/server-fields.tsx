/** The boxes of a new server. */
import { TIERS } from '../../api/tool-records.ts';
import { type ControlIds, Field } from '../../components/field.tsx';
import type { ServerForm, ServerProblems } from './server-form.ts';

interface FieldsProps {
  readonly form: ServerForm;
  readonly problems: ServerProblems;
  onChange(form: ServerForm): void;
}

export const TIER_WORDS: Readonly<Record<string, string>> = {
  read_only: 'read only',
  write: 'write',
  execute: 'execute',
  external_api: 'external API',
};

type TextName = 'name' | 'command' | 'args' | 'env' | 'url';

const TextField = (
  props: FieldsProps & {
    readonly name: TextName;
    readonly label: string;
    readonly hint?: string;
    readonly rows?: number;
  },
) => {
  const { form, problems, onChange, name, label, hint, rows } = props;
  const shared = (ids: ControlIds) => ({
    ...ids,
    value: form[name],
    spellCheck: false,
    autoComplete: 'off',
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ ...form, [name]: event.target.value }),
  });
  return (
    <Field label={label} hint={hint} problem={problems[name]}>
      {(ids) =>
        rows === undefined ? (
          <input {...shared(ids)} />
        ) : (
          <textarea {...shared(ids)} rows={rows} className="json-box" />
        )
      }
    </Field>
  );
};

const KindChoice = ({ form, onChange }: Omit<FieldsProps, 'problems'>) => (
  <fieldset className="group">
    <legend>How it is reached</legend>
    {(
      [
        ['program', 'A program that is started here'],
        ['address', 'An address where it runs already'],
      ] as const
    ).map(([kind, title]) => (
      <label key={kind} className="choice">
        <input
          type="radio"
          name="kind"
          checked={form.kind === kind}
          onChange={() => onChange({ ...form, kind })}
        />
        {title}
      </label>
    ))}
  </fieldset>
);

export const ServerFields = (props: FieldsProps) => {
  const { form, onChange } = props;
  return (
    <>
      <TextField {...props} name="name" label="Name" />
      <KindChoice form={form} onChange={onChange} />
      {form.kind === 'program' ? (
        <>
          <TextField {...props} name="command" label="Program" hint="For example npx." />
          <TextField {...props} name="args" label="Arguments" hint="One a line." rows={3} />
          <TextField
            {...props}
            name="env"
            label="Variables"
            hint="NAME=value, one a line. Values that look like secrets go into the vault, not into the file."
            rows={3}
          />
        </>
      ) : (
        <TextField {...props} name="url" label="Address" />
      )}
      <Field
        label="Risk of its tools"
        hint="The worst that they can do. The rules go by it; when in doubt, leave it."
      >
        {(ids) => (
          <select
            {...ids}
            value={form.tier}
            onChange={(event) => onChange({ ...form, tier: event.target.value })}
          >
            <option value="">external API, asked every time (default)</option>
            {TIERS.filter((tier) => tier !== 'external_api').map((tier) => (
              <option key={tier} value={tier}>
                {TIER_WORDS[tier]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
};
