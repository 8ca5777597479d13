/** A call of one's own that was approved can be finished right here; others are finished by their agent. */
import { useState } from 'react';
import type { ApprovalRecord } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import type { ToolResult } from '../../api/tool-records.ts';
import { Button } from '../../components/button.tsx';
import { ResultView } from '../../components/result-view.tsx';
import { useErrorToast } from '../../components/toast.tsx';

interface RunProps {
  readonly record: ApprovalRecord;
  /** Called when it is started. */
  onRun(): void;
}

export const RunApproved = ({ record, onRun }: RunProps) => {
  const { api } = useServices();
  const fail = useErrorToast();
  const [result, setResult] = useState<ToolResult>();
  const [isBusy, setBusy] = useState(false);
  const run = (): void => {
    setBusy(true);
    onRun();
    const { id: approvalId, tool, sessionId, agentId, request } = record;
    api
      .run(`/v1/tools/${encodeURIComponent(tool)}/execute`, {
        input: request.input,
        approvalId,
        ...(sessionId !== '' && { sessionId }),
        ...(agentId !== '' && { agentId }),
      })
      .then(setResult, fail)
      .finally(() => setBusy(false));
  };
  if (result) return <ResultView result={result} />;
  return (
    <div className="actions">
      <Button kind="primary" isBusy={isBusy} onClick={run}>
        Run the approved call
      </Button>
    </div>
  );
};
