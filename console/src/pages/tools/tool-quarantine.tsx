/** Why a tool from outside is held back, what changed in it, and letting it in. */
import { useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import type { LockFinding, ToolDetail } from '../../api/tool-records.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { useToast } from '../../components/toast.tsx';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['new', 'Nobody has accepted this tool yet. No model sees it and nobody can call it.'],
  ['changed', 'Its definition is no longer the one that was accepted. Read the difference.'],
  ['flagged', 'Something in its definition looks like an attack on a model. Read it with care.'],
]);

interface QuarantineProps {
  readonly tool: ToolDetail;
  onAccepted(): void;
}

const Findings = ({ findings }: { readonly findings: readonly LockFinding[] }) =>
  findings.length === 0 ? null : (
    <section className="stack">
      <h2>What was found</h2>
      <ul className="plain-list">
        {findings.map(({ kind, path, message }) => (
          <li key={`${kind} ${path} ${message}`} className="note note-warn">
            <Badge tone="bad">{kind.replaceAll('_', ' ')}</Badge>{' '}
            <code>
              <SafeText text={path} />
            </code>{' '}
            <SafeText text={message} />
          </li>
        ))}
      </ul>
    </section>
  );

const AcceptButton = ({ tool, onAccepted }: QuarantineProps) => {
  const { api } = useServices();
  const toast = useToast();
  const mayAccept = useMay('operator');
  const [isAsking, setAsking] = useState(false);
  const accept = async (): Promise<void> => {
    const fingerprint = tool.lock?.fingerprint;
    await api.send(
      'POST',
      `/v1/tools/${encodeURIComponent(tool.name)}/accept`,
      // What is accepted is what was read; should it change in between, the server says so.
      fingerprint === undefined ? {} : { fingerprint },
    );
    toast({ tone: 'good', text: 'Accepted. Models see the tool from now on.' });
    onAccepted();
  };
  return (
    <div className="actions">
      <Button kind="primary" icon="check" disabled={!mayAccept} onClick={() => setAsking(true)}>
        Accept this definition
      </Button>
      {isAsking && (
        <ConfirmDialog
          title="Accept this definition?"
          confirm="Accept"
          onConfirm={accept}
          onClose={() => setAsking(false)}
        >
          <p>
            <SafeText text={tool.name} /> is then offered to models as it is written here, until it
            changes again.
          </p>
        </ConfirmDialog>
      )}
    </div>
  );
};

export const ToolQuarantine = ({ tool, onAccepted }: QuarantineProps) => {
  const { quarantine, lock } = tool;
  return (
    <>
      <p className={quarantine ? 'note note-bad' : 'note note-good'}>
        {quarantine
          ? (REASONS.get(quarantine.reason) ?? 'It is held back.')
          : 'Its definition is the one that was accepted.'}
      </p>
      <Findings findings={quarantine?.findings ?? lock?.findings ?? []} />
      {lock && lock.diff !== '' && (
        <section className="stack">
          <h2>The definition, against the accepted one</h2>
          <DiffView diff={lock.diff} label="Difference of the definitions" />
        </section>
      )}
      {quarantine && <AcceptButton tool={tool} onAccepted={onAccepted} />}
    </>
  );
};
