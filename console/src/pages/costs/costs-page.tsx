/** Costs: what was spent, how fast and how well calls went, and how full the budgets are. */
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import {
  HOUR,
  isFresh,
  PERIODS,
  type Period,
  periodOf,
  type Span,
  spanOf,
} from '../../charts/period.ts';
import { Button } from '../../components/button.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { zoneName } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { Budgets } from './budgets.tsx';
import { CostCharts } from './cost-charts.tsx';
import { totalsOf } from './fill-buckets.ts';
import { MonthReport } from './month-report.tsx';
import { ToolCosts } from './tool-costs.tsx';
import { Totals } from './totals.tsx';
import type { UsageLine, UsageSeries } from './usage-records.ts';
import './costs.css';

interface Shown {
  readonly period: Period;
  readonly span: Span;
  readonly series: UsageSeries;
  readonly lines: readonly UsageLine[];
}

const useCosts = (chosen: Period | undefined, tool: string) => {
  const { api, now } = useServices();
  const load = async (period: Period) => {
    const span = spanOf(period, now());
    const series = await api.get<UsageSeries>('/v1/usage/series', { ...span, tool });
    return { period, span, series };
  };
  const costs = useLoad<Shown>(`costs ${chosen?.id ?? ''} ${tool}`, async () => {
    const [course, { lines }] = await Promise.all([
      load(chosen ?? periodOf(undefined)),
      api.get<{ lines: readonly UsageLine[] }>('/v1/usage'),
    ]);
    if (chosen !== undefined || !isFresh(course.series.buckets[0]?.at, now())) {
      return { ...course, lines };
    }
    const hour = await load(HOUR);
    const isAll = totalsOf(hour.series.buckets).calls >= totalsOf(course.series.buckets).calls;
    return { ...(isAll ? hour : course), lines };
  });
  useReloadOn(['call.finished'], costs.reload);
  return costs;
};

const Quiet = ({ period, tool }: { readonly period: Period; readonly tool: string }) => (
  <EmptyState icon="costs" title={`No call in the last ${period.title}`}>
    <p>
      {tool === ''
        ? 'Calls show here as soon as one is over.'
        : 'This tool was not called. Choose a longer period, or look at all tools.'}
    </p>
    <a href={hrefOf(['tools'])}>Try a tool</a>
  </EmptyState>
);

const Course = (props: Shown & { readonly tool: string }) => {
  const { span, series, period, tool } = props;
  if (series.buckets.length === 0) return <Quiet period={period} tool={tool} />;
  return (
    <>
      <Totals buckets={series.buckets} span={span} tool={tool} />
      <CostCharts buckets={series.buckets} span={span} tool={tool} />
      <section className="stack" aria-label="By tool">
        <h2>By tool</h2>
        <ToolCosts rows={series.byTool} period={period.id} span={span} current={tool} />
      </section>
    </>
  );
};

const Filters = ({ period, tool }: { readonly period: Period; readonly tool: string }) => {
  const { now } = useServices();
  const clock = period.bucket === 'day' ? 'Days in UTC' : `Times in ${zoneName(now())}`;
  return (
    <div className="filters">
      <FilterSelect
        label="Period"
        value={period.id}
        options={PERIODS.map(({ id, title }) => [id, `Last ${title}`] as const)}
        onChange={(id) => replaceRoute(hrefOf(['costs'], { period: id, tool }))}
      />
      <p className="hint filters-note">{clock}</p>
      {tool !== '' && (
        <Button
          icon="close"
          onClick={() => replaceRoute(hrefOf(['costs'], { period: period.id }))}
          aria-label={`Only ${tool}; show all tools`}
        >
          Only <SafeText text={tool} />
        </Button>
      )}
    </div>
  );
};

export const CostsPage = () => {
  const { query } = useRoute();
  const chosen = query.period === undefined ? undefined : periodOf(query.period);
  const tool = query.tool ?? '';
  const costs = useCosts(chosen, tool);
  return (
    <PageFrame title="Costs" lead="What calls cost, how long they took and what is left to spend.">
      <Filters period={chosen ?? costs.data?.period ?? periodOf(undefined)} tool={tool} />
      <WhenLoaded of={costs}>
        {(shown) => (
          <div className="costs">
            <Course {...shown} tool={tool} />
            <Budgets lines={shown.lines} />
            <MonthReport />
          </div>
        )}
      </WhenLoaded>
    </PageFrame>
  );
};
