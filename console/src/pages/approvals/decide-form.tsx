/** Where a person says yes or no, once or for longer, perhaps to a changed input. */
import { useState } from 'react';
import type { ApprovalRecord } from '../../api/call-records.ts';
import { useMay, useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { type Draft, decisionOf, NEW_DRAFT } from './decision-of.ts';
import { EditInput } from './edit-input.tsx';

interface DecideProps {
  readonly record: ApprovalRecord;
  onDecided(): void;
}

const CHOICES = [
  ['once', 'Only this call'],
  ['session', 'This tool and action for the rest of the session, 24 hours at most'],
  ['pattern', 'Whenever a condition holds'],
] as const;

interface DraftProps {
  readonly draft: Draft;
  onChange(draft: Draft): void;
}

const RememberChoice = ({ draft, onChange }: DraftProps) => (
  <fieldset className="group">
    <legend>An approval covers</legend>
    {CHOICES.map(([value, title]) => (
      <label key={value} className="choice">
        <input
          type="radio"
          name="remember"
          checked={draft.remember === value}
          onChange={() => onChange({ ...draft, remember: value })}
        />
        {title}
      </label>
    ))}
    {draft.remember === 'pattern' && (
      <Field
        label="Condition"
        hint={
          <>
            In CEL, over the same names as a policy rule, e.g.{' '}
            <code>input.path.startsWith("docs/")</code>
          </>
        }
        isRequired
      >
        {(ids) => (
          <input
            {...ids}
            className="json-box"
            spellCheck={false}
            value={draft.condition}
            onChange={(event) => onChange({ ...draft, condition: event.target.value })}
          />
        )}
      </Field>
    )}
  </fieldset>
);

const NoteField = ({ draft, onChange }: DraftProps) => (
  <Field label="Note" hint="Kept in the audit trail, with your name.">
    {(ids) => (
      <input
        {...ids}
        maxLength={2000}
        value={draft.note}
        onChange={(event) => onChange({ ...draft, note: event.target.value })}
      />
    )}
  </Field>
);

const useDecide = ({ record, onDecided }: DecideProps, draft: Draft) => {
  const { api } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const [isBusy, setBusy] = useState(false);
  const decide = (approve: boolean): void => {
    setBusy(true);
    api
      .send('POST', `/v1/approvals/${encodeURIComponent(record.id)}/decide`, {
        ...decisionOf(approve, draft),
      })
      // Once it is decided the buttons stay off until the question is shown as it stands now.
      .then(
        () => toast({ tone: 'good', text: approve ? 'Approved.' : 'Denied.' }),
        (thrown: unknown) => {
          setBusy(false);
          fail(thrown);
        },
      )
      .finally(onDecided);
  };
  return { decide, isBusy };
};

export const DecideForm = (props: DecideProps) => {
  const { record } = props;
  const [draft, setDraft] = useState(NEW_DRAFT);
  const [isValid, setValid] = useState(true);
  const { decide, isBusy } = useDecide(props, draft);
  const mayDecide = useMay('operator');
  const lacksCondition = draft.remember === 'pattern' && draft.condition.trim() === '';
  if (!mayDecide) return <p className="note">Only operators and admins may decide.</p>;
  const { edited, ...unedited } = draft;
  const toggleEdit = (): void => {
    setValid(true);
    setDraft(edited ? unedited : { ...draft, edited: { input: record.request.input } });
  };
  return (
    <section className="decide" aria-label="Decide">
      {edited && (
        <EditInput
          tool={record.tool}
          value={edited.input}
          onChange={(input, fits) => {
            setValid(fits);
            setDraft({ ...draft, edited: { input } });
          }}
        />
      )}
      {record.request.rememberable && <RememberChoice draft={draft} onChange={setDraft} />}
      <NoteField draft={draft} onChange={setDraft} />
      <div className="actions decide-actions">
        <Button
          kind="primary"
          icon="check"
          isBusy={isBusy}
          disabled={!isValid || lacksCondition}
          onClick={() => decide(true)}
        >
          {edited ? 'Approve as edited' : 'Approve'}
        </Button>
        <Button kind="danger" icon="close" isBusy={isBusy} onClick={() => decide(false)}>
          Deny
        </Button>
        <Button onClick={toggleEdit}>{edited ? 'Keep the input' : 'Edit the input'}</Button>
      </div>
    </section>
  );
};
