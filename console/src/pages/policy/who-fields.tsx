/** On whose behalf the question is put. */
import { Field } from '../../components/field.tsx';
import { ISOLATIONS, type WhoForm } from './explain-request.ts';

interface WhoProps {
  readonly who: WhoForm;
  onChange(who: WhoForm): void;
}

const TEXTS = [
  ['user', 'User', ''],
  ['agent', 'Agent', ''],
  ['roles', 'Roles', 'With commas between them.'],
] as const;

export const WhoFields = ({ who, onChange }: WhoProps) => (
  <fieldset className="group who-fields">
    <legend>As whom (blank: as yourself)</legend>
    {TEXTS.map(([name, label, hint]) => (
      <Field key={name} label={label} hint={hint}>
        {(ids) => (
          <input
            {...ids}
            value={who[name]}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ ...who, [name]: event.target.value })}
          />
        )}
      </Field>
    ))}
    <Field label="Isolation">
      {(ids) => (
        <select
          {...ids}
          value={who.isolation}
          onChange={(event) => onChange({ ...who, isolation: event.target.value })}
        >
          <option value="">as it is</option>
          {ISOLATIONS.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
      )}
    </Field>
  </fieldset>
);
