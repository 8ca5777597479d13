/** Signing in by the one-time code that the server printed. */
import { type FormEvent, useEffect, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { asApiError } from '../api/api-error.ts';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';

interface SignInProps {
  /** `ended`: somebody was signed in here until now. */
  readonly why: 'left' | 'ended';
  /** What became of a sign-in link, when it did not work. */
  readonly failed: ApiError | undefined;
  onCode(code: string): Promise<void>;
}

export const SignInPage = ({ why, failed, onCode }: SignInProps) => {
  const [code, setCode] = useState('');
  const [error, setError] = useState(failed);
  useEffect(() => setError(failed), [failed]);
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    onCode(code.trim()).catch((thrown: unknown) => {
      setError(asApiError(thrown));
      setBusy(false);
    });
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit}>
        <h1>
          <img src="./icon.svg" alt="" width="36" height="36" />
          Toolcrib
        </h1>
        {why === 'ended' && (
          <p className="note note-warn" role="status">
            Your session is over. Sign in again to go on.
          </p>
        )}
        <p className="muted">
          <code>toolcrib serve</code> prints a link that signs you in, and its code. It works once,
          within ten minutes.
        </p>
        <Field label="One-time code" problem={error?.message}>
          {(ids) => (
            <input
              {...ids}
              autoComplete="one-time-code"
              spellCheck={false}
              required
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
        </Field>
        {error?.suggestions.map((suggestion) => (
          <p key={suggestion} className="hint">
            {suggestion}
          </p>
        ))}
        {error?.status === 401 && (
          <p className="hint">
            For a new link, run <code>toolcrib console</code> in the folder of the server, or send
            the server the signal <code>SIGUSR2</code>. An admin makes one under Settings, People.
          </p>
        )}
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  );
};
