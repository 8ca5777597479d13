/** Overview: what needs the reader, what runs, what it cost, what failed, and how all of it went. */
import { useServices } from '../../api/services.tsx';
import { PERIODS, type Period, periodOf } from '../../charts/period.ts';
import { FilterSelect } from '../../components/field.tsx';
import { zoneName } from '../../components/format.ts';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { CostByTool } from '../../figures/cost-by-tool.tsx';
import { FailurePanel } from '../../figures/failure-panel.tsx';
import { FigureTiles } from '../../figures/figure-tiles.tsx';
import { HeatPanel } from '../../figures/heat-panel.tsx';
import { TrendCharts } from '../../figures/trend-charts.tsx';
import { type Figures, useFigures } from '../../figures/use-figures.ts';
import { PageFrame } from '../../layout/page-frame.tsx';
import { hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { NeedsPanel } from './needs-panel.tsx';
import { RunningPanel } from './running-panel.tsx';
import { SpendPanel } from './spend-panel.tsx';
import './overview.css';

/** Longer ones are for the page of the costs. */
const OFFERED = PERIODS.filter(({ id }) => id !== '90d');

const Course = ({ figures }: { readonly figures: Figures }) => {
  const { period, span, history, tools } = figures;
  const { total } = history;
  if (total.calls === 0) {
    return (
      <EmptyState icon="activity" title={`No call in the last ${period.title}`}>
        <p>
          Calls of agents, of the command line and of this console show here when they are over.
        </p>
        <a href={hrefOf(['tools'])}>Try a tool</a>
      </EmptyState>
    );
  }
  const shared = { span, tool: '' };
  return (
    <>
      <FigureTiles {...shared} total={total} />
      <TrendCharts {...shared} history={history} />
      <FailurePanel {...shared} total={total} tools={tools} />
      <HeatPanel period={period} tools={tools.map(({ name }) => name)} />
      <CostByTool history={history} tools={tools} span={span} />
    </>
  );
};

const AllFigures = ({ period }: { readonly period: Period }) => {
  const figures = useFigures(period, '');
  const { now } = useServices();
  const clock = period.bucket === 'day' ? 'Days in UTC' : `Times in ${zoneName(now())}`;
  return (
    <>
      <div className="filters">
        <FilterSelect
          label="Period"
          value={period.id}
          options={OFFERED.map(({ id, title }) => [id, `Last ${title}`] as const)}
          onChange={(id) => replaceRoute(hrefOf(['overview'], { period: id }))}
        />
        <p className="hint filters-note">{clock}</p>
      </div>
      <WhenLoaded of={figures}>{(loaded) => <Course figures={loaded} />}</WhenLoaded>
    </>
  );
};

export const OverviewPage = () => {
  const { query } = useRoute();
  const { session } = useServices();
  // Agents see their own calls; the figures are of everybody's.
  const isPerson = session.role !== 'agent';
  const asked = periodOf(query.period);
  return (
    <PageFrame title="Overview" lead="What needs you, what runs, and how calls went.">
      <div className="overview">
        <div className="overview-now">
          <NeedsPanel />
          <RunningPanel />
          {isPerson && <SpendPanel />}
        </div>
        {isPerson && <AllFigures period={OFFERED.includes(asked) ? asked : periodOf(undefined)} />}
      </div>
    </PageFrame>
  );
};
