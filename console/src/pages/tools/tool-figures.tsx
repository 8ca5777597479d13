/** How the calls of one tool went: its figures, their course, how long calls took, what failed. */
import { PERIODS, periodOf } from '../../charts/period.ts';
import { LinkButton } from '../../components/button.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { FailurePanel } from '../../figures/failure-panel.tsx';
import { FigureTiles } from '../../figures/figure-tiles.tsx';
import { HeatPanel } from '../../figures/heat-panel.tsx';
import { TrendCharts } from '../../figures/trend-charts.tsx';
import { type Figures, useFigures } from '../../figures/use-figures.ts';
import { hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { ToolPast } from './tool-past.tsx';

const Course = ({ tool, figures }: { readonly tool: string; readonly figures: Figures }) => {
  const { period, span, history } = figures;
  const { total } = history;
  if (total.calls === 0) {
    return (
      <EmptyState icon="costs" title={`No call in the last ${period.title}`}>
        <p>Choose a longer period, or try the tool.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <FigureTiles total={total} span={span} tool={tool} />
      <TrendCharts history={history} span={span} tool={tool} />
      <HeatPanel period={period} tool={tool} />
      <FailurePanel total={total} span={span} tool={tool} />
    </>
  );
};

export const ToolFigures = ({ tool }: { readonly tool: string }) => {
  const { query } = useRoute();
  const period = periodOf(query.period);
  const figures = useFigures(period, tool);
  return (
    <div className="figures-of-tool">
      <div className="filters">
        <FilterSelect
          label="Period"
          value={period.id}
          options={PERIODS.map(({ id, title }) => [id, `Last ${title}`] as const)}
          onChange={(id) => replaceRoute(hrefOf(['tools', tool], { tab: 'figures', period: id }))}
        />
        <LinkButton href={hrefOf(['activity'], { tool })}>All calls</LinkButton>
      </div>
      <ToolPast tool={tool} />
      <WhenLoaded of={figures}>{(loaded) => <Course tool={tool} figures={loaded} />}</WhenLoaded>
    </div>
  );
};
