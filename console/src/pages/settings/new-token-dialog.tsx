/** Makes a token, and shows it this once. */
import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/states.tsx';
import { TokenFields } from './token-fields.tsx';
import { EMPTY_TOKEN, type TokenForm, tokenBody, tokenProblems } from './token-form.ts';

interface NewTokenProps {
  onMade(): void;
  onClose(): void;
}

const Shown = ({ token, onClose }: { readonly token: string; readonly onClose: () => void }) => (
  <div className="dialog-body">
    <p className="note note-warn">
      Copy it now: it is shown this once. Only its fingerprint is kept.
    </p>
    <CodeBlock text={token} label="The new token" />
    <p className="muted">
      Send it as <code>Authorization: Bearer …</code>, or hand it to an agent as a secret.
    </p>
    <div className="actions">
      <Button kind="primary" onClick={onClose}>
        I have copied it
      </Button>
    </div>
  </div>
);

const Form = (props: NewTokenProps & { onToken(token: string): void }) => {
  const { api } = useServices();
  const [form, setForm] = useState<TokenForm>(EMPTY_TOKEN);
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const problems = tokenProblems(form);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length > 0) return;
    setBusy(true);
    setError(undefined);
    api
      .send<{ token: string }>('POST', '/v1/tokens', tokenBody(form))
      .then(
        ({ token }) => {
          props.onToken(token);
          props.onMade();
        },
        (thrown: unknown) => setError(asApiError(thrown)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <form className="dialog-body" onSubmit={submit} noValidate>
      <TokenFields form={form} onChange={setForm} problems={hasTried ? problems : {}} />
      {error && <ErrorState error={error} />}
      <div className="actions">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Create the token
        </Button>
        <Button onClick={props.onClose}>Not now</Button>
      </div>
    </form>
  );
};

export const NewTokenDialog = (props: NewTokenProps) => {
  const [token, setToken] = useState<string>();
  return (
    <Dialog title={token === undefined ? 'New token' : 'Your new token'} onClose={props.onClose}>
      {token === undefined ? (
        <Form {...props} onToken={setToken} />
      ) : (
        <Shown token={token} onClose={props.onClose} />
      )}
    </Dialog>
  );
};
