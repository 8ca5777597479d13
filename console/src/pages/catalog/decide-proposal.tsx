/** Approving and rejecting a proposal, bound to what was read; and why one cannot, where one cannot. */
import { useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { useErrorToast } from '../../components/toast.tsx';
import { type Proposal, proposalPath } from './catalog-records.ts';
import { NoteField, noted } from './note-field.tsx';
import { useCatalogAction } from './use-catalog-action.ts';

interface DecideProps {
  readonly proposal: Proposal;
  onDecided(): void;
}

/** Says why a button is missing; nothing when none is. */
const Hindrance = ({ isOwn, isApproved }: { isOwn: boolean; isApproved: boolean }) => {
  if (isApproved) {
    return <p className="muted">It is approved. Until it is published it can still be rejected.</p>;
  }
  if (!isOwn) return null;
  return (
    <p className="note">
      You proposed this, so somebody else has to approve it: what a team runs is looked at by two
      people. You can reject it to take it back.
    </p>
  );
};

export const DecideProposal = ({ proposal, onDecided }: DecideProps) => {
  const { session } = useServices();
  const mayDecide = useMay('operator');
  const fail = useErrorToast();
  const send = useCatalogAction(onDecided);
  const [note, setNote] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { id, digest, state, proposedBy } = proposal;
  const isApproved = state === 'approved';
  if (state !== 'open' && !isApproved) return null;
  if (!mayDecide) return <p className="note">Operators and admins approve and reject.</p>;
  const isOwn = proposedBy === session.user;
  const decide = (verb: 'approve' | 'reject'): void => {
    setBusy(true);
    // The digest is that of what is shown: should it be another change by now, the server says so.
    send(proposalPath(id, `/${verb}`), { digest, ...noted(note) }, () =>
      verb === 'approve' ? 'Approved. An admin can publish it.' : 'Rejected.',
    )
      .catch(fail)
      .finally(() => setBusy(false));
  };
  return (
    <section className="decide" aria-label="Decide">
      <Hindrance isOwn={isOwn} isApproved={isApproved} />
      <NoteField value={note} onChange={setNote} />
      <div className="actions decide-actions">
        {!isOwn && !isApproved && (
          <Button kind="primary" icon="check" isBusy={isBusy} onClick={() => decide('approve')}>
            Approve
          </Button>
        )}
        <Button kind="danger" icon="close" isBusy={isBusy} onClick={() => decide('reject')}>
          Reject
        </Button>
      </div>
    </section>
  );
};
