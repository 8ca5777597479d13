/** Lets other people into the console, in the role they need. */
import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import type { Role } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Field } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import {
  EMPTY_PERSON,
  PERSON_ROLES,
  type PersonForm,
  personProblem,
  signInLink,
} from './person-form.ts';
import { RoleField } from './role-field.tsx';

interface Invitation {
  readonly user: string;
  readonly role: Role;
  readonly code: string;
}

interface FieldsProps {
  readonly form: PersonForm;
  readonly problem: string | undefined;
  onChange(form: PersonForm): void;
}

const PersonFields = ({ form, problem, onChange }: FieldsProps) => (
  <>
    <Field label="Name" hint="How the audit trail names them." problem={problem} isRequired>
      {(ids) => (
        <input
          {...ids}
          value={form.user}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ ...form, user: event.target.value })}
        />
      )}
    </Field>
    <RoleField
      roles={PERSON_ROLES}
      value={form.role}
      onChange={(role) => onChange({ ...form, role })}
    />
  </>
);

const Shown = ({ user, role, code }: Invitation) => (
  <section className="panel person" aria-label="Sign-in link">
    <p>
      For <strong>{user}</strong> as {role}. Good once, for ten minutes: send it to nobody else.
    </p>
    <CodeBlock text={signInLink(window.location.origin, code)} label={`The link for ${user}`} />
  </section>
);

export const PeoplePanel = () => {
  const { api } = useServices();
  const [form, setForm] = useState(EMPTY_PERSON);
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [made, setMade] = useState<Invitation>();
  const problem = personProblem(form);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (problem !== undefined) return;
    setBusy(true);
    setError(undefined);
    api
      .send<Invitation>('POST', '/v1/session/codes', { ...form, user: form.user.trim() })
      .then(
        (invitation) => {
          setMade(invitation);
          setForm(EMPTY_PERSON);
          setTried(false);
        },
        (thrown: unknown) => setError(asApiError(thrown)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <>
      <form className="panel person" onSubmit={submit} noValidate>
        <PersonFields form={form} problem={hasTried ? problem : undefined} onChange={setForm} />
        {error && <ErrorState error={error} />}
        <div className="actions">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Make a sign-in link
          </Button>
        </div>
      </form>
      <div aria-live="polite">{made && <Shown {...made} />}</div>
    </>
  );
};
