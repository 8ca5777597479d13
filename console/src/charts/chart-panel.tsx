/** A chart with its heading; a button shows the same figures as a table. */
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../components/button.tsx';
import { zoneName } from '../components/format.ts';
import { type Column, Table } from '../components/table.tsx';
import { goTo } from '../router/route.ts';
import { Chart } from './chart.tsx';
import type { ChartData, ChartSeries } from './chart-options.ts';
import { type BucketSize, stepName } from './period.ts';
import './charts.css';

/** One step of a chart: what its figures are read from. */
export interface ChartStep {
  /** Its start, in milliseconds. */
  readonly at: number;
  readonly calls: number;
}

/** One line of the chart, and where its figures come from. */
export interface Measure<T extends ChartStep> extends Omit<ChartSeries, 'values'> {
  of(step: T): number | null;
}

interface PanelProps<T extends ChartStep> {
  readonly title: string;
  /** The whole in a few words, shown and read out. */
  readonly summary: ReactNode;
  /** The summary as it is read out, where it is no plain text. */
  readonly spoken?: string;
  readonly steps: readonly T[];
  readonly bucket: BucketSize;
  /** Must not change from one drawing to the next. */
  readonly measures: readonly Measure<T>[];
  readonly show: (value: number) => string;
  readonly isWhole?: boolean;
  /** Its bars stand on each other, the first on top. */
  readonly isStacked?: boolean;
  /** There is nothing to draw: the summary says it, and axes would only suggest figures. */
  readonly isEmpty?: boolean;
  /** Where the calls of a step are listed. */
  hrefOf?(step: T): string;
}

/** Sums a measure and those after it: its bar is as high, and theirs are drawn over it. */
const sumFrom = <T extends ChartStep>(
  measures: readonly Measure<T>[],
  first: number,
  step: T,
): number => measures.slice(first).reduce((sum, { of }) => sum + (of(step) ?? 0), 0);

const NAMES = { minute: 'Minute', hour: 'Hour' } as const;

const columnsOf = <T extends ChartStep>({
  bucket,
  measures,
  show,
  steps,
}: PanelProps<T>): readonly Column<T>[] => [
  {
    id: 'at',
    title: bucket === 'day' ? 'Day (UTC)' : `${NAMES[bucket]} (${zoneName(steps.at(-1)?.at ?? 0)})`,
    cell: ({ at }) => stepName(at, bucket),
    sortBy: ({ at }) => at,
  },
  ...measures.map(({ id, title, of }) => ({
    id,
    title,
    isNumber: true,
    cell: (step: T) => {
      const value = of(step);
      return value === null ? '–' : show(value);
    },
    sortBy: (step: T) => of(step) ?? -1,
  })),
];

const Figures = <T extends ChartStep>(props: PanelProps<T>) => (
  <div className="figures">
    <Table
      label={props.title}
      columns={columnsOf(props)}
      rows={props.steps.filter(({ calls }) => calls > 0).toReversed()}
      keyOf={({ at }) => String(at)}
      {...(props.hrefOf && { hrefOf: props.hrefOf })}
    />
  </div>
);

export const ChartPanel = <T extends ChartStep>(props: PanelProps<T>) => {
  const { title, summary, steps, bucket, measures, show, isWhole = false } = props;
  const { isStacked = false, isEmpty = false, hrefOf } = props;
  const spoken = props.spoken ?? (typeof summary === 'string' ? summary : '');
  const [isTable, setTable] = useState(false);
  const open = (step: T | undefined): void => {
    if (step && hrefOf && step.calls > 0) goTo(hrefOf(step));
  };
  const data = useMemo<ChartData>(
    () => ({
      times: steps.map(({ at }) => at),
      bucket,
      series: measures.map(({ of, ...rest }, first) => ({
        ...rest,
        values: steps.map(of),
        ...(isStacked && { drawn: steps.map((step) => sumFrom(measures, first, step)) }),
      })),
      show,
      isWhole,
    }),
    [steps, bucket, measures, show, isWhole, isStacked],
  );
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <div>
          <h2>{title}</h2>
          <p className="muted">{summary}</p>
        </div>
        {!isEmpty && (
          <Button isSmall aria-pressed={isTable} onClick={() => setTable((was) => !was)}>
            {isTable ? 'Chart' : 'Table'}
          </Button>
        )}
      </header>
      {isEmpty ? null : isTable ? (
        <Figures {...props} />
      ) : (
        <Chart
          data={data}
          summary={`${title}: ${spoken}`}
          {...(hrefOf && { onChoose: (at) => open(steps.find((step) => step.at === at)) })}
        />
      )}
    </section>
  );
};
