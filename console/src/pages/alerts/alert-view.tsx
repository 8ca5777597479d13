/** One alert in detail: its condition, what it is about, what it does, and what it told. */
import type { AlertActionRecord, AlertRecord } from '../../api/alert-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Facts } from '../../components/facts.tsx';
import { exactTime } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { usePolling } from '../../live/use-polling.ts';
import { hrefOf } from '../../router/route.ts';
import { AlertActions } from './alert-actions.tsx';
import { AlertBadge, SeverityBadge, StateBadge } from './alert-badge.tsx';
import { EventTable } from './event-table.tsx';
import { subjectHref } from './subject-href.ts';

const actionText = ({ type, url, secret, tool, job, as }: AlertActionRecord): string => {
  const who = as ? ` as ${as.user}` : '';
  if (type === 'webhook') return `webhook ${url ?? ''}${secret === undefined ? '' : ', signed'}`;
  return `${type} ${tool ?? job ?? ''}${who}`.trim();
};

const scopeText = ({ each, tool, source, caller }: AlertRecord['definition']): string => {
  if (each !== undefined) return `each ${each}`;
  return tool ?? source ?? caller ?? 'all calls';
};

const Moment = ({ at }: { readonly at: number | undefined }) =>
  at === undefined ? 'never' : <RelativeTime at={at} />;

const AlertFacts = ({ alert }: { readonly alert: AlertRecord }) => {
  const { definition, silence, evaluatedAt, lastFiredAt } = alert;
  const { actions = [{ type: 'log' }] } = definition;
  return (
    <Facts
      of={[
        ['Looks at', <SafeText key="about" text={scopeText(definition)} />],
        ['Calls of the last', definition.window ?? '5m'],
        ['Has to hold for', definition.for ?? 'no time: it fires at once'],
        ['Cool-down', definition.coolDown ?? '5m'],
        ['Actions', <SafeText key="actions" text={actions.map(actionText).join('; ')} />],
        ['Evaluated', <Moment key="evaluated" at={evaluatedAt} />],
        ['Last fired', <Moment key="fired" at={lastFiredAt} />],
        ['Silenced until', silence && exactTime(silence.until)],
        ['Silenced by', silence && <SafeText text={silence.by} />],
        ['Note', silence?.note && <SafeText text={silence.note} />],
      ]}
    />
  );
};

const SubjectName = ({
  alert,
  subject,
}: {
  readonly alert: AlertRecord;
  readonly subject: string;
}) => {
  const href = subjectHref(alert.definition, subject);
  const name = <SafeText text={subject === '' ? scopeText(alert.definition) : subject} />;
  return href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>;
};

const Subjects = ({ alert }: { readonly alert: AlertRecord }) =>
  alert.subjects.length === 0 ? null : (
    <section className="stack">
      <h3>What it is about</h3>
      <ul className="plain-list alert-subjects">
        {alert.subjects.map(({ subject, state, since }) => (
          <li key={subject}>
            <SubjectName alert={alert} subject={subject} />
            <StateBadge state={state} />
            <span>
              since <RelativeTime at={since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );

const Content = ({ alert, onDone }: { readonly alert: AlertRecord; onDone(): void }) => (
  <>
    <header className="detail-head">
      <h2>
        <SafeText text={alert.id} />
      </h2>
      <div className="badges">
        <AlertBadge alert={alert} />
        <SeverityBadge severity={alert.definition.severity} />
      </div>
    </header>
    {alert.definition.summary && (
      <p>
        <SafeText text={alert.definition.summary} />
      </p>
    )}
    <AlertActions alert={alert} onDone={onDone} />
    {alert.problem !== undefined && (
      <p className="note note-warn">
        <SafeText text={alert.problem} />
      </p>
    )}
    <CodeBlock text={alert.definition.when} label="Condition" />
    <Subjects alert={alert} />
    <AlertFacts alert={alert} />
    <section className="stack">
      <h3>Notifications</h3>
      <EventTable alert={alert.id} />
    </section>
  </>
);

const NoSuchAlert = () => (
  <EmptyState icon="search" title="There is no such alert">
    <a href={hrefOf(['alerts'])}>Show all alerts</a>
  </EmptyState>
);

export const AlertView = ({ id, onChanged }: { readonly id: string; onChanged(): void }) => {
  const { api } = useServices();
  const alert = useLoad(`alert ${id}`, () =>
    api.get<AlertRecord>(`/v1/alerts/${encodeURIComponent(id)}`),
  );
  usePolling(alert.reload);
  useReloadOn(['alert.fired', 'alert.resolved'], alert.reload);
  const onDone = (): void => {
    alert.reload();
    onChanged();
  };
  return (
    <WhenLoaded of={alert} missing={<NoSuchAlert />}>
      {(data) => <Content alert={data} onDone={onDone} />}
    </WhenLoaded>
  );
};
