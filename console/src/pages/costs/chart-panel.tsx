/** A chart with its heading; a button shows the same figures as a table. */
import { useMemo, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { zoneName } from '../../components/format.ts';
import { type Column, Table } from '../../components/table.tsx';
import { Chart } from './chart.tsx';
import type { ChartData, ChartSeries } from './chart-options.ts';
import type { Step } from './fill-buckets.ts';
import { type BucketSize, stepName } from './period.ts';

/** One line of the chart, and where its figures come from. */
export interface Measure extends Omit<ChartSeries, 'values'> {
  of(step: Step): number | null;
}

interface PanelProps {
  readonly title: string;
  /** The whole in a few words, shown and read out. */
  readonly summary: string;
  readonly steps: readonly Step[];
  readonly bucket: BucketSize;
  /** Must not change from one drawing to the next. */
  readonly measures: readonly Measure[];
  readonly show: (value: number) => string;
  readonly isWhole?: boolean;
}

const NAMES = { minute: 'Minute', hour: 'Hour' } as const;

const columnsOf = ({ bucket, measures, show, steps }: PanelProps): readonly Column<Step>[] => [
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
    cell: (step: Step) => {
      const value = of(step);
      return value === null ? '–' : show(value);
    },
    sortBy: (step: Step) => of(step) ?? -1,
  })),
];

const Figures = (props: PanelProps) => (
  <div className="figures">
    <Table
      label={props.title}
      columns={columnsOf(props)}
      rows={props.steps.filter(({ calls }) => calls > 0).toReversed()}
      keyOf={({ at }) => String(at)}
    />
  </div>
);

export const ChartPanel = (props: PanelProps) => {
  const { title, summary, steps, bucket, measures, show, isWhole = false } = props;
  const [isTable, setTable] = useState(false);
  const data = useMemo<ChartData>(
    () => ({
      times: steps.map(({ at }) => at),
      bucket,
      series: measures.map(({ of, ...rest }) => ({ ...rest, values: steps.map(of) })),
      show,
      isWhole,
    }),
    [steps, bucket, measures, show, isWhole],
  );
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <div>
          <h2>{title}</h2>
          <p className="muted">{summary}</p>
        </div>
        <Button isSmall aria-pressed={isTable} onClick={() => setTable((was) => !was)}>
          {isTable ? 'Chart' : 'Table'}
        </Button>
      </header>
      {isTable ? <Figures {...props} /> : <Chart data={data} summary={`${title}: ${summary}`} />}
    </section>
  );
};
