/** Silencing an alert and testing it. */
import { useState } from 'react';
import type { AlertRecord, AlertTestRecord } from '../../api/alert-records.ts';
import { useServices } from '../../api/services.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { Deliveries } from './event-table.tsx';

interface ActionsProps {
  readonly alert: AlertRecord;
  onDone(): void;
}

const HOUR_MS = 3_600_000;

const SPANS = [
  [HOUR_MS, '1 hour'],
  [4 * HOUR_MS, '4 hours'],
  [24 * HOUR_MS, '1 day'],
  [7 * 24 * HOUR_MS, '1 week'],
] as const;

const pathOf = (id: string, action: string): string =>
  `/v1/alerts/${encodeURIComponent(id)}/${action}`;

const SilenceDialog = ({ alert, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const [forMs, setForMs] = useState<number>(HOUR_MS);
  const [note, setNote] = useState('');
  const silence = async (): Promise<void> => {
    const reason = note.trim();
    await api.send('POST', pathOf(alert.id, 'silence'), {
      forMs,
      ...(reason !== '' && { note: reason }),
    });
    toast({ tone: 'good', text: 'The alert is silenced.' });
    onDone();
  };
  return (
    <ConfirmDialog
      title={`Silence ${alert.id}?`}
      confirm="Silence it"
      onConfirm={silence}
      onClose={onClose}
    >
      <p>It goes on to be evaluated, and tells nobody. What still fires afterwards is told then.</p>
      <Field label="For">
        {(ids) => (
          <select {...ids} value={forMs} onChange={(event) => setForMs(Number(event.target.value))}>
            {SPANS.map(([ms, title]) => (
              <option key={ms} value={ms}>
                {title}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Note" hint="Kept with the silence and in the audit trail. Optional.">
        {(ids) => (
          <input
            {...ids}
            maxLength={500}
            value={note}
            autoComplete="off"
            onChange={(event) => setNote(event.target.value)}
          />
        )}
      </Field>
    </ConfirmDialog>
  );
};

const TestDialog = ({ test, onClose }: { readonly test: AlertTestRecord; onClose(): void }) => (
  <Dialog title="Test" onClose={onClose}>
    <div className="dialog-body">
      {test.problem !== undefined && (
        <p className="note note-warn">
          <SafeText text={test.problem} />
        </p>
      )}
      {test.findings.length === 0 && <p>There is nothing to evaluate it for at the moment.</p>}
      {test.findings.slice(0, 20).map(({ subject, holds, values }) => (
        <section key={subject} className="stack">
          <h3>
            <SafeText text={subject === '' ? 'The condition' : subject} />{' '}
            <Badge tone={holds ? 'bad' : 'good'}>{holds ? 'holds' : 'does not hold'}</Badge>
          </h3>
          <JsonView value={values} label="Values" />
        </section>
      ))}
      <section className="stack">
        <h3>Actions</h3>
        <Deliveries of={test.deliveries} />
      </section>
    </div>
  </Dialog>
);

export const AlertActions = ({ alert, onDone }: ActionsProps) => {
  const { api, session } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [test, setTest] = useState<AlertTestRecord>();
  if (session.role !== 'operator' && session.role !== 'admin') return null;
  const unsilence = (): void => {
    api.send('DELETE', pathOf(alert.id, 'silence')).then(() => {
      toast({ tone: 'good', text: 'The alert sends notifications again.' });
      onDone();
    }, fail);
  };
  const runTest = (): void => {
    setBusy(true);
    api
      .send<AlertTestRecord>('POST', pathOf(alert.id, 'test'), { deliver: true })
      .then(setTest, fail)
      .finally(() => setBusy(false));
  };
  return (
    <div className="actions">
      {alert.silence ? (
        <Button icon="undo" onClick={unsilence}>
          End the silence
        </Button>
      ) : (
        <Button icon="moon" onClick={() => setAsking(true)}>
          Silence
        </Button>
      )}
      <Button icon="check" isBusy={isBusy} onClick={runTest}>
        Send a test
      </Button>
      {isAsking && <SilenceDialog alert={alert} onDone={onDone} onClose={() => setAsking(false)} />}
      {test && <TestDialog test={test} onClose={() => setTest(undefined)} />}
    </div>
  );
};
