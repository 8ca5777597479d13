/** Stopping, putting back and removing a job. What cannot be taken back asks first. */
import { useState } from 'react';
import type { JobRecord } from '../../api/job-records.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { goTo, hrefOf } from '../../router/route.ts';

interface ActionsProps {
  readonly job: JobRecord;
  onDone(): void;
}

const pathOf = (id: string, action = ''): string => `/v1/jobs/${encodeURIComponent(id)}${action}`;

const CancelDialog = ({ job, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const cancel = async (): Promise<void> => {
    await api.send('POST', pathOf(job.id, '/cancel'));
    toast({ tone: 'good', text: 'The job is cancelled.' });
    onDone();
  };
  return (
    <ConfirmDialog
      title="Cancel this job?"
      confirm="Cancel the job"
      kind="danger"
      onConfirm={cancel}
      onClose={onClose}
    >
      <p>What it has done so far stays done. It can be put back later.</p>
    </ConfirmDialog>
  );
};

const RemoveDialog = ({ job, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const remove = async (): Promise<void> => {
    await api.send('DELETE', pathOf(job.id));
    toast({ tone: 'good', text: 'The job is removed.' });
    onDone();
    goTo(hrefOf(['jobs']));
  };
  return (
    <ConfirmDialog
      title="Remove this job?"
      confirm="Remove the job"
      kind="danger"
      onConfirm={remove}
      onClose={onClose}
    >
      <p>Its payload and result are forgotten. The audit trail keeps the calls that it made.</p>
    </ConfirmDialog>
  );
};

const Requeue = ({ job, onDone }: ActionsProps) => {
  const { api } = useServices();
  const toast = useToast();
  const fail = useErrorToast();
  const requeue = (): void => {
    api.send('POST', pathOf(job.id, '/requeue')).then(() => {
      toast({ tone: 'good', text: 'The job waits again, with all its attempts.' });
      onDone();
    }, fail);
  };
  return (
    <Button icon="undo" onClick={requeue}>
      Put back
    </Button>
  );
};

export const JobActions = (props: ActionsProps) => {
  const { state } = props.job;
  const { session } = useServices();
  const [asking, setAsking] = useState<'cancel' | 'remove'>();
  const close = (): void => setAsking(undefined);
  if (session.role === 'viewer') return null;
  const isOver = state === 'completed' || state === 'dead' || state === 'cancelled';
  return (
    <div className="actions">
      {!isOver && (
        <Button kind="danger" icon="stop" onClick={() => setAsking('cancel')}>
          Cancel
        </Button>
      )}
      {(state === 'dead' || state === 'cancelled') && <Requeue {...props} />}
      {isOver && (
        <Button kind="danger" icon="trash" onClick={() => setAsking('remove')}>
          Remove
        </Button>
      )}
      {asking === 'cancel' && <CancelDialog {...props} onClose={close} />}
      {asking === 'remove' && <RemoveDialog {...props} onClose={close} />}
    </div>
  );
};
