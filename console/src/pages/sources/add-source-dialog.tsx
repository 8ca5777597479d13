/** Adds a source: looks at it first, shows what it would add, then writes it into the configuration. */
import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { PreviewView } from './preview-view.tsx';
import type { SourceConfig, SourcePreview } from './source-records.ts';

interface AddProps {
  readonly kinds: SourceConfig['kinds'];
  onDone(): void;
  onClose(): void;
}

interface SourceForm {
  readonly kind: string;
  readonly address: string;
  readonly name: string;
}

const bodyOf = ({ kind, address, name }: SourceForm) => ({
  kind,
  address: address.trim(),
  ...(name.trim() !== '' && { name: name.trim() }),
});

const useAdd = ({ kinds, onDone, onClose }: AddProps) => {
  const { api } = useServices();
  const toast = useToast();
  const [form, setForm] = useState<SourceForm>({
    ...{ kind: kinds[0]?.kind ?? '', address: '', name: '' },
  });
  const [preview, setPreview] = useState<SourcePreview>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const run = (work: () => Promise<void>): void => {
    setBusy(true);
    setError(undefined);
    work()
      .catch((thrown: unknown) => setError(asApiError(thrown)))
      .finally(() => setBusy(false));
  };
  const look = (): void =>
    run(async () =>
      setPreview(await api.send<SourcePreview>('POST', '/v1/sources/preview', bodyOf(form))),
    );
  const add = (): void =>
    run(async () => {
      const body = bodyOf(form);
      type Added = { readonly source: string; readonly notes: readonly string[] };
      const { source, notes } = await api.send<Added>('POST', '/v1/sources', body);
      toast({ tone: 'good', text: `${source} was added.`, hint: notes.join(' ') });
      onDone();
      onClose();
    });
  const change = (next: Partial<SourceForm>): void => {
    // What was shown was of another address.
    setPreview(undefined);
    setForm({ ...form, ...next });
  };
  return { form, change, look, add, preview, isBusy, error };
};

type Adding = ReturnType<typeof useAdd>;

const SourceFields = ({ form, change, kinds }: Adding & Pick<AddProps, 'kinds'>) => (
  <>
    <Field label="Kind">
      {(ids) => (
        <select
          {...ids}
          value={form.kind}
          onChange={(event) => change({ kind: event.target.value })}
        >
          {kinds.map(({ kind, summary }) => (
            <option key={kind} value={kind}>
              {kind}: {summary}
            </option>
          ))}
        </select>
      )}
    </Field>
    <Field label="Address" hint="An address, or a path from the project on." isRequired>
      {(ids) => (
        <input
          {...ids}
          value={form.address}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ address: event.target.value })}
        />
      )}
    </Field>
    <Field label="Name" hint="Made of the address when empty.">
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
  </>
);

export const AddSourceDialog = (props: AddProps) => {
  const adding = useAdd(props);
  const { form, look, add, preview, isBusy, error } = adding;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (form.address.trim() === '') return;
    if (preview) add();
    else look();
  };
  return (
    <Dialog title="Add a source" isWide onClose={props.onClose}>
      <form className="dialog-body" onSubmit={submit} noValidate>
        <SourceFields {...adding} kinds={props.kinds} />
        {preview && <PreviewView preview={preview} />}
        {error && <ErrorState error={error} />}
        <div className="actions">
          <Button
            type="submit"
            kind="primary"
            isBusy={isBusy}
            disabled={form.address.trim() === ''}
          >
            {preview ? 'Add the source' : 'Look at it'}
          </Button>
          <Button onClick={props.onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
};
