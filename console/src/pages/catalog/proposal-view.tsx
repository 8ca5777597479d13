/** One proposal with everything a reviewer needs: the difference, what it does, who and when. */
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { DiffView } from '../../components/diff-view.tsx';
import { Facts } from '../../components/facts.tsx';
import { exactTime } from '../../components/format.ts';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { hrefOf } from '../../router/route.ts';
import { proposalPath, type Review } from './catalog-records.ts';
import { changeEffect, changeVerb, entryOf } from './change-text.ts';
import { DecideProposal } from './decide-proposal.tsx';
import { EntryContent } from './entry-content.tsx';
import { useReloadWith } from './use-reload-with.ts';

const ProposalFacts = ({ review }: { readonly review: Review }) => (
  <Facts
    of={[
      ['Proposed by', <SafeText key="by" text={review.proposedBy} />],
      ['Proposed', exactTime(review.proposedAt)],
      ['Note', review.note && <SafeText text={review.note} />],
      [
        review.state === 'rejected' ? 'Rejected by' : 'Approved by',
        review.decidedBy && <SafeText text={review.decidedBy} />,
      ],
      ['Decided', review.decidedAt !== undefined && exactTime(review.decidedAt)],
      ['Reason', review.decisionNote && <SafeText text={review.decisionNote} />],
      [
        'Published in',
        review.serial !== undefined && (
          <a href={hrefOf(['catalog', 'history'])}>bundle {review.serial}</a>
        ),
      ],
      ['Proposal', <SafeCode key="id" text={review.id} />],
      ['Digest', <SafeCode key="digest" text={review.digest} />],
    ]}
  />
);

/** Compares a waiting proposal with what is published; shows a decided one as it was proposed. */
const Content = ({ review }: { readonly review: Review }) => {
  const { change, diff, state } = review;
  const isPending = state === 'open' || state === 'approved';
  if (!isPending) {
    return change.action === 'put' ? <EntryContent entry={change.entry} /> : null;
  }
  return (
    <section className="stack">
      <h3>Against what is published</h3>
      {diff === '' ? (
        <p className="note">The catalog has this very entry already: nothing would change.</p>
      ) : (
        <DiffView diff={diff} label="Difference to what is published" />
      )}
    </section>
  );
};

const NoSuchProposal = () => (
  <EmptyState icon="search" title="There is no such proposal">
    <p>It was never made here, or it is over and no longer kept. The audit trail has it.</p>
    <a href={hrefOf(['catalog', 'proposals'])}>Show what waits</a>
  </EmptyState>
);

interface ViewProps {
  readonly id: string;
  /** Changes whenever the catalog does. */
  readonly version: string;
  onChanged(): void;
}

export const ProposalView = ({ id, version, onChanged }: ViewProps) => {
  const { api } = useServices();
  const review = useLoad(`proposal ${id}`, () => api.get<Review>(proposalPath(id)));
  useReloadWith(version, review.reload);
  const onDecided = (): void => {
    review.reload();
    onChanged();
  };
  return (
    <WhenLoaded of={review} missing={<NoSuchProposal />}>
      {(data) => {
        const { name } = entryOf(data.change);
        return (
          <>
            <header className="detail-head">
              <h2>
                {changeVerb(data.change)} <SafeText text={name} />
              </h2>
              <div className="badges">
                <StatusBadge status={data.state} />
              </div>
              <p className="muted">{changeEffect(data.change)}</p>
            </header>
            <Content review={data} />
            <ProposalFacts review={data} />
            <DecideProposal key={data.id} proposal={data} onDecided={onDecided} />
          </>
        );
      }}
    </WhenLoaded>
  );
};
