/** Stopping a call that runs, and taking back what a finished one changed. Both ask first. */
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import type { ExecutionDetail } from '../../api/call-records.ts';
import { useMay, useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { useToast } from '../../components/toast.tsx';

interface ActionsProps {
  readonly call: ExecutionDetail;
  onDone(): void;
}

const pathOf = (id: string, action: string): string =>
  `/v1/executions/${encodeURIComponent(id)}/${action}`;

const CancelDialog = ({ call, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const cancel = async (): Promise<void> => {
    const path = pathOf(call.executionId, 'cancel');
    const { cancelled } = await api.send<{ cancelled: boolean }>('POST', path);
    toast(
      cancelled
        ? { tone: 'good', text: 'The call was told to stop.' }
        : { tone: 'neutral', text: 'There was nothing left to stop.' },
    );
    onDone();
  };
  return (
    <ConfirmDialog
      title="Stop this call?"
      confirm="Stop the call"
      kind="danger"
      onConfirm={cancel}
      onClose={onClose}
    >
      <p>What it has done so far stays done. Its outcome is recorded as cancelled.</p>
    </ConfirmDialog>
  );
};

const UndoDialog = ({ call, onDone, onClose }: ActionsProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const undo = async (): Promise<void> => {
    const result = await api.run(pathOf(call.executionId, 'undo'));
    if (result.error) throw new ApiError(result.error, 409);
    toast({ tone: 'good', text: 'Undone. What the call changed is as it was before.' });
    onDone();
  };
  return (
    <ConfirmDialog
      title="Undo this call?"
      confirm="Undo the call"
      kind="danger"
      onConfirm={undo}
      onClose={onClose}
    >
      <p>
        What <SafeText text={call.tool} /> changed is put back as it was. If something changed it
        again since, nothing is touched.
      </p>
    </ConfirmDialog>
  );
};

export const ExecutionActions = (props: ActionsProps) => {
  const { state, undoable } = props.call;
  const [asking, setAsking] = useState<'cancel' | 'undo'>();
  const mayAct = useMay('operator');
  const close = (): void => setAsking(undefined);
  // A question that is open stays: what was done by somebody else meanwhile, its answer says.
  if (state !== 'running' && !undoable && asking === undefined) return null;
  return (
    <div className="actions">
      {state === 'running' && (
        <Button kind="danger" icon="stop" disabled={!mayAct} onClick={() => setAsking('cancel')}>
          Stop
        </Button>
      )}
      {undoable && (
        <Button kind="danger" icon="undo" disabled={!mayAct} onClick={() => setAsking('undo')}>
          Undo
        </Button>
      )}
      {!mayAct && <span className="muted">Operators may do this.</span>}
      {asking === 'cancel' && <CancelDialog {...props} onClose={close} />}
      {asking === 'undo' && <UndoDialog {...props} onClose={close} />}
    </div>
  );
};
