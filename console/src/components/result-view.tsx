/** What a call answered: data, error with what to do about it, or the question it waits for. */
import type { ErrorBody, ToolResult } from '../api/tool-records.ts';
import { hrefOf } from '../router/route.ts';
import { pathText } from '../schema-form/check-value.ts';
import { Badge, StatusBadge } from './badge.tsx';
import { CodeBlock } from './code-block.tsx';
import { DryRunView, isDryRunReport } from './dry-run-view.tsx';
import { count, duration, money } from './format.ts';
import { JsonView } from './json-view.tsx';
import { SafeText } from './safe-text.tsx';

const ErrorDetail = ({ error }: { readonly error: ErrorBody }) => (
  <div className="note note-bad stack">
    <p>
      <strong>
        <SafeText text={error.message} />
      </strong>{' '}
      <code>{error.code}</code>
    </p>
    {[
      ...(error.issues ?? []).map(({ path, message }) => `${pathText(path)} ${message}`.trim()),
      ...(error.suggestions ?? []),
    ].map((line) => (
      <p key={line}>
        <SafeText text={line} />
      </p>
    ))}
  </div>
);

const Summary = ({ result }: { readonly result: ToolResult }) => {
  const { duration: ms, cost, tokensUsed, cached, executionId, labels } = result.metadata;
  return (
    <div className="result-head">
      <StatusBadge status={result.status} />
      <span className="muted">
        {duration(ms)} · {money(cost)}
        {tokensUsed > 0 && ` · ${count(tokensUsed)} tokens`}
        {cached && ' · from cache'}
      </span>
      {labels.trust === 'untrusted' && <Badge tone="warn">untrusted content</Badge>}
      <a href={hrefOf(['activity', executionId])}>Open the call</a>
    </div>
  );
};

/** Draws a report only after a dry run: a tool that answers in its shape must not pass a real call off as one. */
const ResultData = ({ data, isDryRun }: { readonly data: unknown; readonly isDryRun: boolean }) => {
  if (data === undefined) return null;
  if (isDryRun && isDryRunReport(data)) return <DryRunView report={data} />;
  if (typeof data === 'string') return <CodeBlock text={data} label="Data" />;
  return <JsonView value={data} label="Data" />;
};

interface ResultProps {
  readonly result: ToolResult;
  readonly isDryRun?: boolean;
}

export const ResultView = ({ result, isDryRun = false }: ResultProps) => (
  <section className="stack" aria-label="Result">
    <Summary result={result} />
    {result.status === 'pending' && result.approval && (
      <p className="note note-warn">
        A person has to agree first.{' '}
        <a href={hrefOf(['approvals', result.approval.approvalId])}>Open the question</a>
      </p>
    )}
    {result.error && result.status !== 'pending' && <ErrorDetail error={result.error} />}
    {result.warnings?.map((warning) => (
      <p key={warning} className="note note-warn">
        <SafeText text={warning} />
      </p>
    ))}
    <ResultData data={result.data} isDryRun={isDryRun} />
  </section>
);
