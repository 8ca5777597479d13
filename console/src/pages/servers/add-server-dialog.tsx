/** Writes a new server into the configuration. */
import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { ServerFields } from './server-fields.tsx';
import { EMPTY_SERVER, type ServerForm, serverBody, serverProblems } from './server-form.ts';
import type { ServerChange } from './server-records.ts';

interface AddProps {
  onDone(): void;
  onClose(): void;
}

const useAdd = ({ onDone, onClose }: AddProps) => {
  const { api } = useServices();
  const toast = useToast();
  const [form, setForm] = useState<ServerForm>(EMPTY_SERVER);
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const problems = serverProblems(form);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length > 0) return;
    setBusy(true);
    setError(undefined);
    api
      .send<ServerChange>('POST', '/v1/servers', serverBody(form))
      .then(({ notes }) => {
        toast({ tone: 'good', text: `${form.name} was added.`, hint: notes.join(' ') });
        onDone();
        onClose();
      })
      .catch((thrown: unknown) => {
        setBusy(false);
        setError(asApiError(thrown));
      });
  };
  return { form, setForm, submit, isBusy, error, problems: hasTried ? problems : {} };
};

export const AddServerDialog = (props: AddProps) => {
  const { form, setForm, submit, isBusy, error, problems } = useAdd(props);
  return (
    <Dialog title="Add a server" onClose={props.onClose}>
      <form className="dialog-body" onSubmit={submit} noValidate>
        <p className="note note-warn">
          A program runs with the rights of your account. Its tools stay in quarantine until
          somebody has looked at them.
        </p>
        <ServerFields form={form} problems={problems} onChange={setForm} />
        {error && <ErrorState error={error} />}
        <div className="actions">
          <Button type="submit" kind="primary" isBusy={isBusy}>
            Add the server
          </Button>
          <Button onClick={props.onClose}>Not now</Button>
        </div>
      </form>
    </Dialog>
  );
};
