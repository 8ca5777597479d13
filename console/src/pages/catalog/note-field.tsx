/** A reason for the record, which the history and the audit trail keep. */
import { Field } from '../../components/field.tsx';

const MAX_NOTE = 1000;

interface NoteProps {
  readonly value: string;
  readonly hint?: string;
  onChange(value: string): void;
}

export const NoteField = ({ value, hint, onChange }: NoteProps) => (
  <Field label="Note" hint={hint ?? 'Kept with the decision. Optional.'}>
    {(ids) => (
      <input
        {...ids}
        maxLength={MAX_NOTE}
        value={value}
        autoComplete="off"
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Field>
);

/** Makes the part of a request body that carries a note; empty without one. */
export const noted = (note: string): { readonly note?: string } =>
  note.trim() === '' ? {} : { note: note.trim() };
