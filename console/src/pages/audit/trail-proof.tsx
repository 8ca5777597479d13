/** Proving the trail: walk the chain, sign its end, take it away as a file. */
import { useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { asApiError } from '../../api/api-error.ts';
import { useMay, useServices } from '../../api/services.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { Facts } from '../../components/facts.tsx';
import { Icon } from '../../components/icon.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useErrorToast, useToast } from '../../components/toast.tsx';
import { hrefOf } from '../../router/route.ts';
import { type AuditFilter, queryOf } from './audit-filter.ts';
import { saveFile } from './save-file.ts';
import {
  type Checkpoint,
  checkpointFile,
  type Verification,
  verificationText,
} from './verification.ts';

const Outcome = ({ verification }: { readonly verification: Verification }) => {
  const { title, checked, meaning, message } = verificationText(verification);
  return (
    <div className={verification.ok ? 'proof note note-good' : 'proof note note-bad'}>
      <h2>
        <Icon name={verification.ok ? 'check' : 'alert'} /> {title}
      </h2>
      <p>{checked}</p>
      {meaning !== '' && <p>{meaning}</p>}
      {message !== '' && (
        <p>
          <SafeText text={message} />
        </p>
      )}
      <Facts
        of={[
          ['Head', verification.head && <code>{verification.head.hash}</code>],
          [
            'First bad row',
            verification.problem && (
              <a href={hrefOf(['audit', String(verification.problem.seq)])}>
                {verification.problem.seq}
              </a>
            ),
          ],
        ]}
      />
      {!verification.ok && (
        <p>
          Keep the store as it is, and compare it with a checkpoint kept elsewhere:{' '}
          <code>toolcrib audit verify --checkpoint &lt;file&gt;</code>
        </p>
      )}
    </div>
  );
};

const useVerify = () => {
  const { api } = useServices();
  const [isBusy, setBusy] = useState(false);
  const [verification, setVerification] = useState<Verification>();
  const [error, setError] = useState<ApiError>();
  const verify = (): void => {
    setBusy(true);
    api
      .get<Verification>('/v1/audit/verify')
      .then(
        (answer) => {
          setVerification(answer);
          setError(undefined);
        },
        (thrown: unknown) => {
          setVerification(undefined);
          setError(asApiError(thrown));
        },
      )
      .finally(() => setBusy(false));
  };
  return { isBusy, verification, error, verify };
};

const CheckpointButton = () => {
  const { api } = useServices();
  const may = useMay('operator');
  const [isBusy, setBusy] = useState(false);
  const toast = useToast();
  const fail = useErrorToast();
  const create = (): void => {
    setBusy(true);
    api
      .send<Checkpoint>('POST', '/v1/audit/checkpoint')
      .then((made) => {
        saveFile(checkpointFile(made), `${JSON.stringify(made, null, 2)}\n`);
        toast({
          tone: 'good',
          text: `Checkpoint of row ${made.seq} saved.`,
          hint: 'Keep it away from this machine: it proves what the trail was today.',
        });
      })
      .catch(fail)
      .finally(() => setBusy(false));
  };
  return (
    <Button
      isBusy={isBusy}
      disabled={!may}
      title={may ? 'Signs the end of the trail, as a file' : 'Operators only'}
      onClick={create}
    >
      Create a checkpoint
    </Button>
  );
};

/** Links to the exports, with the filters of the page. */
const ExportLinks = ({ filter }: { readonly filter: AuditFilter }) => {
  const { api } = useServices();
  return (['jsonl', 'csv'] as const).map((format) => (
    <LinkButton
      key={format}
      href={api.url('/v1/audit/export', { format, ...queryOf(filter) })}
      download={`audit.${format}`}
    >
      Export {format.toUpperCase()}
    </LinkButton>
  ));
};

export const TrailProof = ({ filter }: { readonly filter: AuditFilter }) => {
  const { isBusy, verification, error, verify } = useVerify();
  return (
    <section className="proof-bar" aria-label="Proof">
      <div className="actions">
        <Button kind="primary" icon="approvals" isBusy={isBusy} onClick={verify}>
          {isBusy ? 'Verifying…' : 'Verify the chain'}
        </Button>
        <CheckpointButton />
        <ExportLinks filter={filter} />
      </div>
      <div role="status">{verification && <Outcome verification={verification} />}</div>
      {error && <ErrorState error={error} onRetry={verify} />}
    </section>
  );
};
