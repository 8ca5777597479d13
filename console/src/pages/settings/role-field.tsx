/** A choice of roles, each with what it may. */
import type { Role } from '../../api/call-records.ts';
import { Field } from '../../components/field.tsx';

interface RoleFieldProps {
  readonly roles: readonly (readonly [Role, string])[];
  readonly value: Role;
  onChange(role: Role): void;
}

export const RoleField = ({ roles, value, onChange }: RoleFieldProps) => (
  <Field label="Role">
    {(ids) => (
      <select {...ids} value={value} onChange={(event) => onChange(event.target.value as Role)}>
        {roles.map(([role, about]) => (
          <option key={role} value={role}>
            {role}: {about}
          </option>
        ))}
      </select>
    )}
  </Field>
);
