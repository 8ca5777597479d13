/** Continuing, cancelling and sending an event to a run. Cancelling asks first. */
import { useState } from 'react';
import { isOver, type RunDetail } from '../../api/flow-records.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { awaitedEvents, isResumable, takesEvents } from './run-choices.ts';

interface ActionsProps {
  readonly run: RunDetail;
  onDone(): void;
}

const pathOf = ({ id }: RunDetail, action: string): string =>
  `/v1/flows/runs/${encodeURIComponent(id)}/${action}`;

const CancelDialog = ({ run, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const cancel = async (): Promise<void> => {
    await api.send('POST', pathOf(run, 'cancel'));
    toast({ tone: 'good', text: 'The run was cancelled.' });
    onDone();
  };
  return (
    <ConfirmDialog
      title="Cancel this run?"
      confirm="Cancel the run"
      kind="danger"
      onConfirm={cancel}
      onClose={onClose}
    >
      <p>
        It makes no more steps, nor do the runs that it has started. What it has done stays done.
      </p>
    </ConfirmDialog>
  );
};

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: text.trim() === '' ? null : JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const SendDialog = ({ run, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const [event, setEvent] = useState(() => awaitedEvents(run)[0] ?? '');
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const payload = parsed(text);
  const send = async (value: unknown): Promise<void> => {
    await api.send('POST', pathOf(run, 'send'), { event, payload: value });
    toast({ tone: 'good', text: 'The event was sent.' });
    onDone();
  };
  const submit = (): Promise<void> | undefined => {
    setChecked(true);
    return event === '' || !payload ? undefined : send(payload.value);
  };
  return (
    <ConfirmDialog
      title="Send an event"
      confirm="Send the event"
      onConfirm={submit}
      onClose={onClose}
    >
      <Field
        label="Event"
        isRequired
        problem={isChecked && event === '' ? 'Name the event.' : undefined}
      >
        {(ids) => (
          <input {...ids} value={event} onChange={({ target }) => setEvent(target.value)} />
        )}
      </Field>
      <Field
        label="What it brings"
        hint="JSON; nothing is null"
        problem={isChecked && !payload ? 'This is not JSON.' : undefined}
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={5}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </ConfirmDialog>
  );
};

/** Moves a run to a version of its flow that the server has. */
const ResumeDialog = ({ run, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const [version, setVersion] = useState(run.version);
  const resume = async (): Promise<void> => {
    await api.send('POST', pathOf(run, 'resume'), version === '' ? {} : { version });
    toast({ tone: 'good', text: 'The run goes on.' });
    onDone();
  };
  return (
    <ConfirmDialog
      title="Resume this run"
      confirm="Resume the run"
      onConfirm={resume}
      onClose={onClose}
    >
      <Field label="Version" hint="of the flow, with which the run goes on">
        {(ids) => (
          <input {...ids} value={version} onChange={({ target }) => setVersion(target.value)} />
        )}
      </Field>
    </ConfirmDialog>
  );
};

export const RunActions = (props: ActionsProps) => {
  const { api, session } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const [asking, setAsking] = useState<'cancel' | 'resume' | 'send'>();
  const close = (): void => setAsking(undefined);
  if (isOver(props.run) && asking === undefined) return null;
  const isOff = session.role === 'viewer';
  const resume = (): void => {
    if (props.run.missingVersion) {
      setAsking('resume');
      return;
    }
    api.send('POST', pathOf(props.run, 'resume')).then(() => {
      toast({ tone: 'good', text: 'The run goes on.' });
      props.onDone();
    }, fail);
  };
  return (
    <div className="actions">
      {isResumable(props.run) && (
        <Button disabled={isOff} onClick={resume}>
          Resume
        </Button>
      )}
      {takesEvents(props.run) && (
        <Button disabled={isOff} onClick={() => setAsking('send')}>
          Send an event
        </Button>
      )}
      <Button kind="danger" icon="stop" disabled={isOff} onClick={() => setAsking('cancel')}>
        Cancel
      </Button>
      {isOff && <span className="muted">Viewers cannot change runs.</span>}
      {asking === 'cancel' && <CancelDialog {...props} onClose={close} />}
      {asking === 'resume' && <ResumeDialog {...props} onClose={close} />}
      {asking === 'send' && <SendDialog {...props} onClose={close} />}
    </div>
  );
};
