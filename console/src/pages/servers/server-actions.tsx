/** Testing a server at once; restarting it after a question, since running calls would fail. */
import { useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { duration } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { type ServerStatus, serverPath } from './server-records.ts';
import { stateMeaning } from './server-state.ts';

interface ActionProps {
  readonly server: ServerStatus;
  onDone(): void;
}

const RestartDialog = ({ server, onDone, onClose }: ActionProps & { onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const restart = async (): Promise<void> => {
    try {
      const after = await api.send<ServerStatus>('POST', serverPath(server.name, 'restart'));
      toast({ tone: 'good', text: `${server.name} was restarted: ${stateMeaning(after).word}.` });
    } finally {
      onDone();
    }
  };
  return (
    <ConfirmDialog
      title={`Restart ${server.name}?`}
      confirm="Restart"
      kind="danger"
      onConfirm={restart}
      onClose={onClose}
    >
      <p>
        Calls of <SafeText text={server.name} /> that run right now fail. This may take some
        seconds.
      </p>
    </ConfirmDialog>
  );
};

const pingText = ({ name, tools, latencyMs }: ServerStatus): string => {
  const speed = latencyMs === undefined ? '' : ` in ${duration(latencyMs)}`;
  return `${name} answers${speed} and has ${tools === 1 ? '1 tool' : `${tools} tools`}.`;
};

export const ServerActions = ({ server, onDone }: ActionProps) => {
  const { api } = useServices();
  const may = useMay('operator');
  const toast = useToast();
  const fail = useErrorToast();
  const [isTesting, setTesting] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const test = (): void => {
    setTesting(true);
    api
      .send<ServerStatus>('POST', serverPath(server.name, 'test'))
      .then((after) => toast({ tone: 'good', text: pingText(after) }))
      .catch(fail)
      .finally(() => {
        setTesting(false);
        onDone();
      });
  };
  return (
    <div className="actions">
      <Button isBusy={isTesting} disabled={!may} onClick={test}>
        {isTesting ? 'Testing…' : 'Test'}
      </Button>
      <Button kind="danger" disabled={!may || isTesting} onClick={() => setAsking(true)}>
        Restart
      </Button>
      {!may && <span className="muted">Operators may do this.</span>}
      {isTesting && (
        <span className="muted" role="status">
          Starting it if need be, then asking what it has…
        </span>
      )}
      {isAsking && (
        <RestartDialog server={server} onDone={onDone} onClose={() => setAsking(false)} />
      )}
    </div>
  );
};
