/** Asks a person once for all calls of a plan, then starts the run that was approved. */
import { useState } from 'react';
import type { RunSummary } from '../../api/flow-records.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { useErrorToast } from '../../components/toast.tsx';
import { goTo, hrefOf } from '../../router/route.ts';

interface PlanApprovalProps {
  readonly flow: string;
  /** What the plan was made for; the approval holds for nothing else. */
  readonly input: unknown;
}

export const PlanApproval = ({ flow, input }: PlanApprovalProps) => {
  const { api } = useServices();
  const fail = useErrorToast();
  const [planApproval, setPlanApproval] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const path = `/v1/flows/${encodeURIComponent(flow)}`;
  const ask = (): void => {
    setBusy(true);
    api
      .send<{ readonly approvalId: string }>('POST', `${path}/plan/approval`, { input })
      .then(({ approvalId }) => setPlanApproval(approvalId), fail)
      .finally(() => setBusy(false));
  };
  const start = (): void => {
    setBusy(true);
    api
      .send<RunSummary>('POST', `${path}/runs`, { input, planApproval })
      .then(({ id }) => goTo(hrefOf(['flows', 'run', id])), fail)
      .finally(() => setBusy(false));
  };
  if (planApproval === undefined) {
    return (
      <div className="actions">
        <Button isBusy={isBusy} onClick={ask}>
          Ask once for all of it
        </Button>
      </div>
    );
  }
  return (
    <div className="stack">
      <p className="note">
        One question covers the calls of this plan:{' '}
        <a href={hrefOf(['approvals', planApproval])}>decide about it</a>, then start the run.
      </p>
      <div className="actions">
        <Button kind="primary" isBusy={isBusy} onClick={start}>
          Start the approved run
        </Button>
      </div>
    </div>
  );
};
