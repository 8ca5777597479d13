/** Reading a source again, with what changed; and removing it. */
import { useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { count } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { useToast } from '../../components/toast.tsx';
import { hrefOf, replaceRoute } from '../../router/route.ts';
import { type SourceChange, type SourceStatus, sourcePath } from './source-records.ts';
import { useSourceRefresh } from './use-source-refresh.ts';

const GROUPS = [
  ['added', 'Added', '+'],
  ['removed', 'Removed', '−'],
  ['changed', 'Changed', '~'],
] as const;

/** A long list of changed tools would bury the rest of the page. */
const MAX_NAMES = 50;

interface ChangeProps {
  readonly change: SourceChange;
  readonly nothing?: string;
}

export const ChangeView = ({ change, nothing = 'Nothing has changed.' }: ChangeProps) => {
  const groups = GROUPS.filter(([key]) => change[key].length > 0);
  return (
    <div className="note" role="status">
      {groups.length === 0 ? (
        <p>{nothing}</p>
      ) : (
        groups.map(([key, title, mark]) => (
          <div key={key}>
            <h3>
              {title} ({count(change[key].length)})
            </h3>
            <ul className="plain-list">
              {change[key].slice(0, MAX_NAMES).map((name) => (
                <li key={name}>
                  <span aria-hidden="true">{mark} </span>
                  <code>
                    <SafeText text={name} />
                  </code>
                </li>
              ))}
              {change[key].length > MAX_NAMES && (
                <li className="muted">and {count(change[key].length - MAX_NAMES)} more</li>
              )}
            </ul>
          </div>
        ))
      )}
    </div>
  );
};

const RemoveDialog = (props: { readonly name: string; onDone(): void; onClose(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const remove = async (): Promise<void> => {
    await api.send('DELETE', sourcePath(props.name));
    toast({ tone: 'good', text: `${props.name} was removed.` });
    props.onDone();
    replaceRoute(hrefOf(['sources']));
  };
  return (
    <ConfirmDialog
      title={`Remove ${props.name}?`}
      confirm="Remove"
      kind="danger"
      onConfirm={remove}
      onClose={props.onClose}
    >
      <p>It is taken out of the configuration, and its tools cannot be called any more.</p>
    </ConfirmDialog>
  );
};

interface ActionProps {
  readonly source: SourceStatus;
  readonly isEditable: boolean;
  onDone(): void;
}

export const SourceActions = ({ source, isEditable, onDone }: ActionProps) => {
  const may = useMay('operator');
  const { isReading, change, readAgain } = useSourceRefresh(source.name, onDone);
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <div className="actions">
        <Button
          isBusy={isReading}
          disabled={!may || source.state === 'disabled'}
          onClick={readAgain}
        >
          {isReading ? 'Reading…' : 'Read again'}
        </Button>
        {isEditable && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Remove
          </Button>
        )}
        {!may && <span className="muted">Operators may do this.</span>}
      </div>
      {change && <ChangeView change={change} />}
      {isAsking && (
        <RemoveDialog name={source.name} onDone={onDone} onClose={() => setAsking(false)} />
      )}
    </>
  );
};
