/** Proposes an entry of the catalog. The server checks it and names every fault. */
import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { ErrorState } from '../../components/states.tsx';
import { goTo, hrefOf } from '../../router/route.ts';
import { ENTRY_KINDS, type EntryKind, type Proposal } from './catalog-records.ts';
import { kindEffect, kindWord } from './change-text.ts';
import { NoteField, noted } from './note-field.tsx';
import { API_TYPES, type Parsed, type ProposeForm, parseForm, templateOf } from './propose-form.ts';
import { useCatalogAction } from './use-catalog-action.ts';

interface ProposeProps {
  readonly start: ProposeForm;
  onChanged(): void;
  onClose(): void;
}

const usePropose = ({ start, onChanged, onClose }: ProposeProps) => {
  const send = useCatalogAction(onChanged);
  const [form, setForm] = useState(start);
  const [problem, setProblem] = useState<Exclude<Parsed, { readonly change: unknown }>>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const change = (next: Partial<ProposeForm>): void => {
    setProblem(undefined);
    setForm({ ...form, ...next });
  };
  const propose = (): void => {
    const parsed = parseForm(form);
    if (!('change' in parsed)) {
      setProblem(parsed);
      return;
    }
    setBusy(true);
    setError(undefined);
    let made = '';
    send<Proposal>('/v1/catalog/proposals', { ...parsed, ...noted(form.note) }, ({ id }) => {
      made = id;
      return 'Proposed. Somebody else has to approve it.';
    }).then(
      () => {
        onClose();
        goTo(hrefOf(['catalog', 'proposals', made]));
      },
      (thrown: unknown) => {
        setError(asApiError(thrown));
        setBusy(false);
      },
    );
  };
  return { form, change, propose, problem, error, isBusy };
};

type Proposing = ReturnType<typeof usePropose>;

const KindField = ({ form, change }: Proposing) => (
  <Field label="Kind" hint={kindEffect(form.kind)}>
    {(ids) => (
      <select
        {...ids}
        value={form.kind}
        onChange={({ target }) => {
          const kind = target.value as EntryKind;
          change({ kind, content: templateOf(kind) });
        }}
      >
        {ENTRY_KINDS.map((kind) => (
          <option key={kind} value={kind}>
            {kindWord(kind)}
          </option>
        ))}
      </select>
    )}
  </Field>
);

const NAME_HINTS: Readonly<Partial<Record<EntryKind, string>>> = {
  tool: 'The name of its file, such as lint.yml or lint.ts.',
  enforce: 'The name of the tool.',
  revoke: 'The name of the tool.',
};

const NameField = ({ form, change, problem }: Proposing) =>
  form.kind === 'no-local-tools' ? null : (
    <Field
      label="Name"
      hint={NAME_HINTS[form.kind]}
      problem={problem?.field === 'name' ? problem.problem : undefined}
      isRequired
    >
      {(ids) => (
        <input
          {...ids}
          value={form.name}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
      )}
    </Field>
  );

const CONTENT_LABELS: Readonly<Partial<Record<EntryKind, string>>> = {
  tool: 'The file of the tool',
  rule: 'The rule, as JSON',
  source: 'The settings, as JSON',
};

const ContentField = ({ form, change, problem }: Proposing) => {
  const label = CONTENT_LABELS[form.kind];
  return label === undefined ? null : (
    <Field
      label={label}
      problem={problem?.field === 'content' ? problem.problem : undefined}
      isRequired
    >
      {(ids) => (
        <textarea
          {...ids}
          className="json-box"
          rows={12}
          value={form.content}
          spellCheck={false}
          onChange={(event) => change({ content: event.target.value })}
        />
      )}
    </Field>
  );
};

const TypeField = ({ form, change }: Proposing) =>
  form.kind !== 'source' ? null : (
    <Field label="Type">
      {(ids) => (
        <select
          {...ids}
          value={form.type}
          onChange={(event) => change({ type: event.target.value })}
        >
          {API_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      )}
    </Field>
  );

const Refusal = ({ error }: { readonly error: ApiError }) => (
  <>
    <ErrorState error={error} />
    {error.issues.length > 0 && (
      <ul className="issues">
        {error.issues.map(({ path, message }) => (
          <li key={`${path.join('.')} ${message}`}>
            <code>
              <SafeText text={path.join('.')} />
            </code>{' '}
            <SafeText text={message} />
          </li>
        ))}
      </ul>
    )}
  </>
);

export const ProposeDialog = (props: ProposeProps) => {
  const proposing = usePropose(props);
  const { form, change, propose, error, isBusy } = proposing;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    propose();
  };
  return (
    <Dialog title="Propose an entry" isWide onClose={props.onClose}>
      <form className="dialog-body" onSubmit={submit} noValidate>
        <KindField {...proposing} />
        <NameField {...proposing} />
        <TypeField {...proposing} />
        <ContentField {...proposing} />
        <NoteField
          value={form.note}
          onChange={(note) => change({ note })}
          hint="Why. Reviewers see it. Optional."
        />
        {error && <Refusal error={error} />}
        <div className="actions">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Propose
          </Button>
          <Button onClick={props.onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
};
