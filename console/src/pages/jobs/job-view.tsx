/** One job in detail: what it does, how far it is, what came out or went wrong. */
import type { JobRecord } from '../../api/job-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Facts } from '../../components/facts.tsx';
import { exactTime } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { WaitsFor } from '../../components/waits-for.tsx';
import { usePolling } from '../../live/use-polling.ts';
import { hrefOf } from '../../router/route.ts';
import { JobActions } from './job-actions.tsx';
import { JobBadge } from './job-badge.tsx';
import { jobSubject } from './job-note.ts';

const JobFacts = ({ job }: { readonly job: JobRecord }) => (
  <Facts
    of={[
      ['Runs', jobSubject(job) !== undefined && <SafeText text={jobSubject(job) ?? ''} />],
      ['Waits for', job.waitsFor !== undefined && <WaitsFor waits={job.waitsFor} />],
      ['Queue', <SafeText key="queue" text={job.queue} />],
      ['Added', exactTime(job.createdAt)],
      ['Not before', job.state === 'delayed' && !job.waitsFor && exactTime(job.runAt)],
      ['Started', job.startedAt !== undefined && exactTime(job.startedAt)],
      ['Ended', job.finishedAt !== undefined && exactTime(job.finishedAt)],
      ['Attempts', `${job.attempts} of ${job.retries + 1}`],
      ['Priority', job.priority > 0 && job.priority],
      ['Schedule', job.scheduleId && <SafeText text={job.scheduleId} />],
      ['User', <SafeText key="user" text={job.caller.userId} />],
      ['Job', <SafeCode key="id" text={job.id} />],
    ]}
  />
);

const Failure = ({ job }: { readonly job: JobRecord }) => {
  const { error } = job;
  if (!error) return null;
  return (
    <section className="note note-bad">
      <p>
        <SafeText text={error.message} />
      </p>
      {error.suggestions?.map((suggestion) => (
        <p key={suggestion} className="muted">
          <SafeText text={suggestion} />
        </p>
      ))}
      {error.inDoubt !== undefined && (
        <p>
          <a href={hrefOf(['activity', error.inDoubt])}>Open the call that is in doubt</a>
        </p>
      )}
      <p className="muted">
        <code>{error.code}</code>
      </p>
    </section>
  );
};

const Value = ({ title, value }: { readonly title: string; readonly value: unknown }) =>
  value === undefined ? null : (
    <section className="stack">
      <h3>{title}</h3>
      <JsonView value={value} label={title} />
    </section>
  );

const Content = ({ job, onDone }: { readonly job: JobRecord; onDone(): void }) => (
  <>
    <header className="detail-head">
      <h2>
        <SafeText text={job.type} />
      </h2>
      <div className="badges">
        <JobBadge state={job.state} />
      </div>
    </header>
    <JobActions job={job} onDone={onDone} />
    <Failure job={job} />
    <JobFacts job={job} />
    <Value title="Progress" value={job.progress} />
    <Value title="Payload" value={job.payload} />
    <Value title="Result" value={job.result} />
    {job.withheld && <p className="muted">Its user and admins see payload and result.</p>}
  </>
);

const NoSuchJob = () => (
  <EmptyState icon="search" title="There is no such job">
    <p>Finished jobs are kept for 30 days.</p>
    <a href={hrefOf(['jobs'])}>Show all jobs</a>
  </EmptyState>
);

export const JobView = ({ id, onChanged }: { readonly id: string; onChanged(): void }) => {
  const { api } = useServices();
  const job = useLoad(`job ${id}`, () => api.get<JobRecord>(`/v1/jobs/${encodeURIComponent(id)}`));
  usePolling(job.reload);
  const onDone = (): void => {
    job.reload();
    onChanged();
  };
  return (
    <WhenLoaded of={job} missing={<NoSuchJob />}>
      {(data) => <Content job={data} onDone={onDone} />}
    </WhenLoaded>
  );
};
