/** What the most expensive tools cost, step by step, on top of each other. */
import { useMemo } from 'react';
import type { MetricHistory, MetricLine } from '../api/metric-records.ts';
import { useServices } from '../api/services.tsx';
import { useLoad } from '../api/use-load.ts';
import { ChartPanel, type ChartStep, type Measure } from '../charts/chart-panel.tsx';
import { BUCKET_MS, type Span, trimSpan } from '../charts/period.ts';
import { money } from '../components/format.ts';
import { SafeText } from '../components/safe-text.tsx';
import { WhenLoaded } from '../components/states.tsx';
import { plainVisible } from '../components/visible-text.ts';
import { useReloadOn } from '../live/use-live.ts';
import { hrefOf } from '../router/route.ts';
import { callsHref } from './call-links.ts';
import { CALM_MS } from './use-figures.ts';

const SHOWN = 5;

interface Step extends ChartStep {
  readonly costs: readonly number[];
}

interface CostProps {
  readonly history: MetricHistory;
  readonly tools: readonly MetricLine[];
  readonly span: Span;
}

const dearest = (tools: readonly MetricLine[]): readonly string[] =>
  tools
    .filter(({ costUsd }) => costUsd > 0)
    .sort((a, b) => b.costUsd - a.costUsd)
    .slice(0, SHOWN)
    .map(({ name }) => name);

/** Costs by step: those of the tools in order, then of all others together. */
const costSteps = (
  all: MetricHistory,
  tools: readonly MetricHistory[],
  span: Span,
): readonly Step[] => {
  const { from, to, bucket } = trimSpan(span, all.points[0]?.start);
  const costIn = ({ points }: MetricHistory) =>
    new Map(points.map(({ start, costUsd }) => [start, costUsd]));
  const byTool = tools.map(costIn);
  const whole = new Map(all.points.map((point) => [point.start, point]));
  const steps: Step[] = [];
  for (let at = from; at < to; at += BUCKET_MS[bucket]) {
    const costs = byTool.map((each) => each.get(at) ?? 0);
    const total = whole.get(at)?.costUsd ?? 0;
    const rest = Math.max(0, total - costs.reduce((sum, cost) => sum + cost, 0));
    // Sums of money that are no whole cents leave a trace when they are taken off again.
    steps.push({
      at,
      calls: whole.get(at)?.calls ?? 0,
      costs: [...costs, rest < 1e-9 ? 0 : rest],
    });
  }
  return steps;
};

const measuresOf = (names: readonly string[], hasRest: boolean): readonly Measure<Step>[] => {
  const titles = [...names.map(plainVisible), ...(hasRest ? ['others'] : [])];
  return titles.map((title, at) => ({
    id: at === names.length ? 'tool-rest' : `tool-${at + 1}`,
    title,
    shape: 'bars',
    of: ({ costs }) => costs[at] ?? 0,
  }));
};

interface StackProps extends CostProps {
  readonly names: readonly string[];
  readonly courses: readonly MetricHistory[];
}

const Stack = ({ history, courses, names, tools, span }: StackProps) => {
  const steps = useMemo(() => costSteps(history, courses, span), [history, courses, span]);
  const hasRest = steps.some(({ costs }) => (costs.at(-1) ?? 0) > 0);
  const measures = useMemo(() => measuresOf(names, hasRest), [names, hasRest]);
  const { bucket, from, to } = span;
  const costs = tools.filter(({ name }) => names.includes(name));
  return (
    <ChartPanel
      title={`Cost by ${bucket} and tool`}
      spoken={costs.map(({ name, costUsd }) => `${name} ${money(costUsd)}`).join(', ')}
      summary={costs
        .toSorted((a, b) => b.costUsd - a.costUsd)
        .map(({ name, costUsd }) => (
          <span key={name} className="cost-of">
            <SafeText text={name} />{' '}
            <a href={callsHref({ tool: name, from, to })}>{money(costUsd)}</a>
          </span>
        ))}
      steps={steps}
      bucket={bucket}
      measures={measures}
      show={money}
      isStacked
      hrefOf={({ at }) => callsHref({ from: at, to: at + BUCKET_MS[bucket] })}
    />
  );
};

export const CostByTool = (props: CostProps) => {
  const { api } = useServices();
  const { span, tools } = props;
  const key = dearest(tools).join('\n');
  const names = useMemo(() => (key === '' ? [] : key.split('\n')), [key]);
  const { from, to, bucket: step } = span;
  const courses = useLoad(`costs ${key} ${step} ${to - from}`, () =>
    Promise.all(
      names.map((tool) => api.get<MetricHistory>('/v1/metrics', { from, to, step, tool })),
    ),
  );
  useReloadOn(['call.finished'], courses.reload, CALM_MS);
  if (names.length === 0) {
    return (
      <section className="panel" aria-label="Cost by tool">
        <h2>Cost by tool</h2>
        <p className="muted">
          Nothing in this period had a price. <a href={hrefOf(['costs'])}>Budgets</a>
        </p>
      </section>
    );
  }
  return (
    <WhenLoaded of={courses}>
      {(loaded) => <Stack {...props} names={names} courses={loaded} />}
    </WhenLoaded>
  );
};
