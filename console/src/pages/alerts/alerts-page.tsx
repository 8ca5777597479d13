/** Alerts: which fire, which are silenced, and what was told. */
import type { AlertRecord } from '../../api/alert-records.ts';
import { useServices } from '../../api/services.tsx';
import { type Loaded, useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { usePolling } from '../../live/use-polling.ts';
import { choiceOf, hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { AlertBadge, SeverityBadge } from './alert-badge.tsx';
import { AlertView } from './alert-view.tsx';
import { EventTable } from './event-table.tsx';

interface Alerts {
  readonly items: readonly AlertRecord[];
}

const VIEWS = ['alerts', 'history'] as const;

const EXAMPLE = `observation:
  alerts:
    high-errors:
      when: calls >= 20 && errorRate > 0.2
      each: tool
      for: 5m
      severity: critical
      actions:
        - type: webhook
          url: https://hooks.example.com/toolcrib
          secret: ALERT_KEY`;

const NoAlerts = () => (
  <EmptyState icon="alert" title="There are no alerts yet">
    <p>
      An alert is a condition, and what is done when it holds. Write one into your configuration:
    </p>
    <CodeBlock text={EXAMPLE} label="How to write an alert" />
  </EmptyState>
);

const noteOf = ({ definition, subjects }: AlertRecord): string =>
  subjects
    .map(({ subject }) => subject)
    .filter(Boolean)
    .join(', ') || definition.when;

const COLUMNS: readonly Column<AlertRecord>[] = [
  {
    id: 'id',
    title: 'Alert',
    cell: (alert) => (
      <>
        <SafeText text={alert.id} />
        <span className="row-note">
          <SafeText text={noteOf(alert)} />
        </span>
      </>
    ),
    sortBy: ({ id }) => id,
  },
  {
    id: 'state',
    title: 'State',
    cell: (alert) => <AlertBadge alert={alert} />,
    sortBy: ({ state }) => state,
  },
  {
    id: 'severity',
    title: 'Severity',
    isSecondary: true,
    cell: ({ definition }) => <SeverityBadge severity={definition.severity} />,
    sortBy: ({ definition }) => definition.severity ?? 'warning',
  },
  {
    id: 'fired',
    title: 'Last fired',
    cell: ({ lastFiredAt }) =>
      lastFiredAt === undefined ? 'never' : <RelativeTime at={lastFiredAt} />,
    sortBy: ({ lastFiredAt = 0 }) => lastFiredAt,
  },
];

const AlertList = ({
  alerts,
  open,
}: {
  readonly alerts: Loaded<Alerts>;
  readonly open: string;
}) => (
  <WhenLoaded of={alerts}>
    {({ items }) =>
      items.length === 0 ? (
        <NoAlerts />
      ) : (
        <Table
          label="Alerts"
          columns={COLUMNS}
          rows={items}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => hrefOf(['alerts', id])}
          isCurrent={({ id }) => id === open}
        />
      )
    }
  </WhenLoaded>
);

const AlertsView = ({ open }: { readonly open: string }) => {
  const { api } = useServices();
  const alerts = useLoad('alerts', () => api.get<Alerts>('/v1/alerts'));
  usePolling(alerts.reload);
  useReloadOn(['alert.fired', 'alert.resolved'], alerts.reload);
  return (
    <SplitView
      label={`Alert ${open}`}
      back={hrefOf(['alerts'])}
      list={<AlertList alerts={alerts} open={open} />}
      {...(open !== '' && { detail: <AlertView key={open} id={open} onChanged={alerts.reload} /> })}
    />
  );
};

export const AlertsPage = () => {
  const { rest, query } = useRoute();
  const view = choiceOf(query.view, VIEWS) || 'alerts';
  return (
    <PageFrame
      title="Alerts"
      lead="Conditions that are watched, which of them hold, and who was told."
    >
      <Tabs
        label="Alerts and history"
        tabs={[
          { id: 'alerts', title: 'Alerts' },
          { id: 'history', title: 'History' },
        ]}
        selected={view}
        onSelect={(id) => replaceRoute(hrefOf(['alerts'], { view: id }))}
      >
        {view === 'history' ? <EventTable /> : <AlertsView open={rest[0] ?? ''} />}
      </Tabs>
    </PageFrame>
  );
};
