/** Checks one subject, or everything, at once. Operators may. */
import { useState } from 'react';
import { useMay, useServices } from '../api/services.tsx';
import { Button } from '../components/button.tsx';
import { useErrorToast } from '../components/toast.tsx';

interface CheckProps {
  readonly path: string;
  /** Said while it takes its time. */
  readonly note: string;
  onDone(): void;
}

export const CheckButton = ({ path, note, onDone }: CheckProps) => {
  const { api } = useServices();
  const fail = useErrorToast();
  const may = useMay('operator');
  const [isBusy, setBusy] = useState(false);
  const check = (): void => {
    setBusy(true);
    api
      .send('POST', path)
      .catch(fail)
      .finally(() => {
        setBusy(false);
        onDone();
      });
  };
  return (
    <div className="actions">
      <Button isBusy={isBusy} disabled={!may} onClick={check}>
        {isBusy ? 'Checking…' : 'Check now'}
      </Button>
      {!may && <span className="muted">Operators may do this.</span>}
      {isBusy && (
        <span className="muted" role="status">
          {note}
        </span>
      )}
    </div>
  );
};
